/*
 * Prints for each URL of stdin, one a line, whether an agent may fetch it, and the line of the rule
 * that decided: by an archive of `robotsieve compile` or, if the file is none, by a robots.txt.
 *
 *     make clib                     # at the root; the rest in this folder
 *     cc -o example example.c -I.. ../../../bin/clib/librobotsieve.a -lpthread
 *     ./example robots.txt GPTBot < urls.txt
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "robotsieve.h"

/* Ends the program if a function of the library returned an error. */
static int64_t checked(int64_t result) {
	char text[1025];
	if (result >= 0)
		return result;
	robotsieve_error(text, sizeof text);
	fprintf(stderr, "example: %s\n", text);
	exit(1);
}

int main(int argc, char **argv) {
	static char body[512000]; /* as much of a robots.txt as is read */
	char url[1 << 16], name[32];
	FILE *file = argc == 3 ? fopen(argv[1], "rb") : NULL;
	if (file == NULL) {
		fprintf(stderr, "usage: example ROBOTS|ARCHIVE AGENT < URLS\n");
		return 2;
	}
	int64_t rules = robotsieve_open(argv[1], strlen(argv[1]), "auto", 4);
	if (rules < 0)
		rules = checked(robotsieve_compile(body, fread(body, 1, sizeof body, file), "auto", 4, 0));
	fclose(file);
	while (fgets(url, sizeof url, stdin) != NULL) {
		size_t len = strcspn(url, "\n");
		int64_t verdict = checked(robotsieve_match(rules, argv[2], strlen(argv[2]), url, len, ROBOTSIEVE_NEWEST));
		checked(robotsieve_reason(ROBOTSIEVE_REASON(verdict), name, sizeof name));
		printf("%s\t%d\t%.*s\n", name, (int)ROBOTSIEVE_LINE(verdict), (int)len, url);
	}
	checked(robotsieve_free(rules));
	return 0;
}
