#include "textflag.h"

// MARKED leaves in octets where they are one of the three.
#define MARKED(octets, t1, t2) \
	VPCMPEQB Y13, octets, t1; \
	VPCMPEQB Y14, octets, t2; \
	VPCMPEQB Y15, octets, octets; \
	VPOR     t1, t2, t1; \
	VPOR     t1, octets, octets

// NOTE writes down the lowest place in AX, as the i-th from DI on, and takes it out.
// Where AX is empty it writes what the next block writes over.
#define NOTE(i) \
	TZCNTQ AX, BX; \
	ADDL   R8, BX; \
	MOVW   BX, (i*2)(DI); \
	BLSRQ  AX, AX

// func indexAVX2(p *byte, blocks int, marks *[indexed + blockMarks]uint16, first, second, third byte) int
TEXT ·indexAVX2(SB), NOSPLIT, $0-40
	MOVQ         p+0(FP), SI
	MOVQ         blocks+8(FP), DX
	MOVQ         marks+16(FP), DI
	MOVQ         DI, R13
	VPBROADCASTB first+24(FP), Y13
	VPBROADCASTB second+25(FP), Y14
	VPBROADCASTB third+26(FP), Y15
	XORL         R8, R8
	SHLQ         $6, DX

block:
	CMPQ      R8, DX
	JGE       end
	VMOVDQU   (SI)(R8*1), Y0
	VMOVDQU   32(SI)(R8*1), Y1
	PREFETCHT0 4096(SI)(R8*1)
	MARKED(Y0, Y2, Y3)
	MARKED(Y1, Y4, Y5)
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
	NOTE(5)
	JNZ       more

next:
	MOVQ CX, DI
	ADDQ $64, R8
	JMP  block

more: // than most blocks have
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

end:
	VZEROUPPER
	SUBQ R13, DI
	SHRQ $1, DI
	MOVQ DI, ret+32(FP)
	RET
