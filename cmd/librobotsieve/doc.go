// Command librobotsieve is package compile, and what filter does by an archive, as a library with a
// C interface. robotsieve.h describes it; make clib builds it, shared and static. Package robotsieve
// of Python, in folder python, is above it.
//
// What a handle stands for is in a table (handles.go): a robots.txt (robots.go) or an archive
// (archive.go). Both answer for one agent about texts in a buffer of the caller (buffers.go), of
// which one URL is a case, so that one URL and many have the same verdicts. Only export.go and
// last.go need a C compiler. Without one this is a program that does nothing.
package main

func main() {}
