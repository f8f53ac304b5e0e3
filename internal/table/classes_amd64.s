#include "textflag.h"

// func hasAVX2() bool
//
// AVX2 only counts if the operating system saves the wide registers. CPUID 1 reports OSXSAVE and AVX, XGETBV what is
// saved, and CPUID 7 AVX2.
TEXT ·hasAVX2(SB), NOSPLIT, $0-1
	MOVB  $0, ret+0(FP)
	XORL  AX, AX
	CPUID
	CMPL  AX, $7
	JLT   no
	MOVL  $1, AX
	XORL  CX, CX
	CPUID
	ANDL  $(1<<27 | 1<<28), CX
	CMPL  CX, $(1<<27 | 1<<28)
	JNE   no
	XORL  CX, CX
	XGETBV
	ANDL  $6, AX
	CMPL  AX, $6
	JNE   no
	MOVL  $7, AX
	XORL  CX, CX
	CPUID
	ANDL  $(1<<5), BX
	JZ    no
	MOVB  $1, ret+0(FP)

no:
	RET

// CLASSES leaves in the registers lo and hi, which hold octets and the same
// octets shifted by four bits, the octets' classes in lo.
#define CLASSES(lo, hi, loTable, hiTable) \
	VPAND   Y15, lo, lo; \
	VPAND   Y15, hi, hi; \
	VPSHUFB lo, loTable, lo; \
	VPSHUFB hi, hiTable, hi; \
	VPAND   lo, hi, lo

// PLACES leaves in CX which octets of Y2 and Y3 are in a class, and in AX which
// of Y0 and Y1.
#define PLACES \
	VPXOR          Y14, Y14, Y14; \
	VPCMPEQB       Y14, Y0, Y0; \
	VPCMPEQB       Y14, Y1, Y1; \
	VPCMPEQB       Y14, Y2, Y2; \
	VPCMPEQB       Y14, Y3, Y3; \
	VPMOVMSKB      Y0, AX; \
	VPMOVMSKB      Y1, BX; \
	VPMOVMSKB      Y2, CX; \
	VPMOVMSKB      Y3, DX; \
	VZEROUPPER; \
	SHLQ           $32, BX; \
	ORQ            BX, AX; \
	NOTQ           AX; \
	SHLQ           $32, DX; \
	ORQ            DX, CX; \
	NOTQ           CX

// func classify64AVX2(c *Classes, p *byte, back uintptr) (low, high uint64)
TEXT ·classify64AVX2(SB), NOSPLIT, $0-40
	MOVQ           c+0(FP), AX
	MOVQ           p+8(FP), BX
	SUBQ           back+16(FP), BX
	MOVL           $0x0f0f0f0f, CX
	VMOVD          CX, X15
	VPBROADCASTD   X15, Y15
	VBROADCASTI128 (AX), Y8
	VBROADCASTI128 16(AX), Y9
	VMOVDQU        (BX), Y0
	VMOVDQU        32(BX), Y1
	VPSRLW         $4, Y0, Y2
	VPSRLW         $4, Y1, Y3
	CLASSES(Y0, Y2, Y8, Y9)
	CLASSES(Y1, Y3, Y8, Y9)
	VPAND          Y15, Y0, Y2
	VPAND          Y15, Y1, Y3
	VPANDN         Y0, Y15, Y0
	VPANDN         Y1, Y15, Y1
	PLACES
	MOVQ           CX, low+24(FP)
	MOVQ           AX, high+32(FP)
	RET

// func triples64AVX2(c *[3]Classes, p *byte, back uintptr) (set uint64)
TEXT ·triples64AVX2(SB), NOSPLIT, $0-32
	MOVQ           c+0(FP), AX
	MOVQ           p+8(FP), BX
	SUBQ           back+16(FP), BX
	MOVL           $0x0f0f0f0f, CX
	VMOVD          CX, X15
	VPBROADCASTD   X15, Y15
	VBROADCASTI128 (AX), Y8
	VBROADCASTI128 16(AX), Y9
	VBROADCASTI128 32(AX), Y10
	VBROADCASTI128 48(AX), Y11
	VBROADCASTI128 64(AX), Y12
	VBROADCASTI128 80(AX), Y13
	VMOVDQU        (BX), Y0
	VMOVDQU        32(BX), Y1
	VMOVDQU        1(BX), Y2
	VMOVDQU        33(BX), Y3
	VMOVDQU        2(BX), Y4
	VMOVDQU        34(BX), Y5
	VPSRLW         $4, Y0, Y6
	VPSRLW         $4, Y1, Y7
	CLASSES(Y0, Y6, Y8, Y9)
	CLASSES(Y1, Y7, Y8, Y9)
	VPSRLW         $4, Y2, Y6
	VPSRLW         $4, Y3, Y7
	CLASSES(Y2, Y6, Y10, Y11)
	CLASSES(Y3, Y7, Y10, Y11)
	VPSRLW         $4, Y4, Y6
	VPSRLW         $4, Y5, Y7
	CLASSES(Y4, Y6, Y12, Y13)
	CLASSES(Y5, Y7, Y12, Y13)
	VPAND          Y0, Y2, Y0
	VPAND          Y1, Y3, Y1
	VPAND          Y0, Y4, Y0
	VPAND          Y1, Y5, Y1
	VPXOR          Y14, Y14, Y14
	VPCMPEQB       Y14, Y0, Y0
	VPCMPEQB       Y14, Y1, Y1
	VPMOVMSKB      Y0, AX
	VPMOVMSKB      Y1, BX
	VZEROUPPER
	SHLQ           $32, BX
	ORQ            BX, AX
	NOTQ           AX
	MOVQ           AX, set+24(FP)
	RET
