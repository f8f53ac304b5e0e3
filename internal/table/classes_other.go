//go:build !amd64

package table

const avx2 = false

func classify64AVX2(*Classes, *byte, uintptr) (low, high uint64) { panic("no AVX2") }

func triples64AVX2(*[3]Classes, *byte, uintptr) uint64 { panic("no AVX2") }
