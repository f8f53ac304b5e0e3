//go:build cgo

package main

/*
#include <string.h>

static _Thread_local char last[1024];
static _Thread_local size_t last_len;

static void keep_last(_GoString_ text) {
	last_len = _GoStringLen(text);
	if (last_len > sizeof last)
		last_len = sizeof last;
	memcpy(last, _GoStringPtr(text), last_len);
}
static const char *get_last(void) { return last; }
static size_t get_last_len(void) { return last_len; }
*/
import "C"

// keepLast stores an error's text for lastText on this thread, which a goroutine called from C stays on.
func keepLast(text string) { C.keep_last(text) }

func lastText() string { return C.GoStringN(C.get_last(), C.int(C.get_last_len())) }
