// Command librobotsieve makes package compile, and filter's queries to an archive, available as a
// library with a C interface. robotsieve.h describes it; make clib builds it, shared and static.
// The Python package robotsieve, in the folder python, uses it.
//
// A table maps handles to a robots.txt (robots.go) or an archive (archive.go), see handles.go. Both
// answer for one agent about texts in a buffer of the caller (buffers.go). A single URL is a
// special case of many, so that the verdicts are the same. Only export.go and last.go need a C
// compiler. Without one this is a program that does nothing.
package main

func main() {}
