#include "textflag.h"

// MARKED sets the bytes of marks at which octets have one that is to be marked: the one among them
// with the same low four bits.
#define MARKED(octets, marks) \
	VPSHUFB  octets, Y15, marks; \
	VPCMPEQB octets, marks, marks

// NOTE writes down the lowest place in AX, as the i-th from DI on, and takes it out.
// Where AX is empty it writes what the next block writes over.
#define NOTE(i) \
	TZCNTQ AX, BX; \
	ADDL   R8, BX; \
	MOVW   BX, (i*2)(DI); \
	BLSRQ  AX, AX

// func indexAVX2(p *byte, blocks int, marks *[indexed + blockMarks]uint16, marked *[16]byte) int
TEXT ·indexAVX2(SB), NOSPLIT, $0-40
	MOVQ           p+0(FP), SI
	MOVQ           blocks+8(FP), DX
	MOVQ           marks+16(FP), DI
	MOVQ           DI, R13
	MOVQ           marked+24(FP), AX
	VBROADCASTI128 (AX), Y15
	XORL           R8, R8
	SHLQ           $6, DX
	JZ             end

block:
	PREFETCHT0 4096(SI)(R8*1)
	MARKED((SI)(R8*1), Y0)
	MARKED(32(SI)(R8*1), Y1)
	VPMOVMSKB Y0, AX
	VPMOVMSKB Y1, BX
	SHLQ      $32, BX
	ORQ       BX, AX
	POPCNTQ   AX, CX
	LEAQ      (DI)(CX*2), CX
	NOTE(0)
	NOTE(1)
	NOTE(2)
	NOTE(3)
	NOTE(4)
	JNZ       more

next:
	MOVQ CX, DI
	ADDQ $64, R8
	CMPQ R8, DX
	JLT  block

end:
	VZEROUPPER
	SUBQ R13, DI
	SHRQ $1, DI
	MOVQ DI, ret+32(FP)
	RET

more: // than most blocks have
	NOTE(5)
	NOTE(6)
	NOTE(7)
	NOTE(8)
	NOTE(9)
	NOTE(10)
	NOTE(11)
	JZ   next
	ADDQ $24, DI

another:
	NOTE(0)
	ADDQ $2, DI
	TESTQ AX, AX
	JNZ another
	JMP next
