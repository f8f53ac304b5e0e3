/*
 * librobotsieve: robots.txt compiled into automata, for any language.
 *
 *     int64_t robots = robotsieve_compile(body, body_len, "auto", 4, 0);
 *     int64_t verdict = robotsieve_match(robots, "GPTBot", 6, url, url_len, ROBOTSIEVE_NEWEST);
 *     if (verdict >= 0 && ROBOTSIEVE_REASON(verdict) == ROBOTSIEVE_ALLOWED) ...
 *     robotsieve_free(robots);
 *
 * Every function returns a number: 0 or more, or one of the errors below. Any thread may call any
 * function at any time. Texts are bytes with a length: they need no NUL, may have some, and are in no
 * encoding; NULL is a text of the length 0. No pointer is kept after a call, and no memory is given
 * to the caller. In a child made by fork() nothing may be called if the parent had loaded the
 * library: the threads of the Go runtime are not there. A handler of a signal that is set after that
 * needs SA_ONSTACK: the stack of the Go runtime is too small for it.
 */
#ifndef ROBOTSIEVE_H
#define ROBOTSIEVE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ROBOTSIEVE_BAD_HANDLE (-1)   /* the handle was freed, or never given */
#define ROBOTSIEVE_BAD_ARGUMENT (-2) /* such as a dialect or agent that is none */
#define ROBOTSIEVE_BAD_FILE (-3)     /* an archive that cannot be read, is damaged or was changed */
#define ROBOTSIEVE_BUG (-4)          /* please report it */

/* A verdict is a reason, and the line of the rule that decided, 0 if none did. A URL that is neither
 * allowed nor disallowed has a reason from ROBOTSIEVE_NO_POLICY on, such as that it is none. */
#define ROBOTSIEVE_REASON(verdict) ((int)((verdict) & 0xff))
#define ROBOTSIEVE_LINE(verdict) ((verdict) >> 8)
#define ROBOTSIEVE_ALLOWED 0
#define ROBOTSIEVE_DISALLOWED 1
#define ROBOTSIEVE_UNREACHABLE 2 /* disallowed, since robots.txt could not be fetched */
#define ROBOTSIEVE_NO_POLICY 4   /* the archive does not know the rules of the URL's origin */

#define ROBOTSIEVE_NEWEST INT64_MAX   /* the instant by which the newest rules judge */
#define ROBOTSIEVE_NO_DELAY INT64_MAX /* robotsieve_crawl_delay, if there is none */

/*
 * Compiles a robots.txt, whatever its bytes, and returns a handle, which is more than 0. dialect is
 * how it is read: rfc9309, google (as the parser google/robotstxt) or original (the note of 1994); then
 * an agent is a product token, such as GPTBot. With auto, or no text, an agent is what --agent of
 * the command takes: a known crawler, which is judged by its own product tokens and dialect; any other
 * product token, by RFC 9309; or a whole User-Agent header. One that names no crawler, or several, is
 * ROBOTSIEVE_BAD_ARGUMENT. max_bytes bytes of the body are read: 0 stands for 512,000, -1 for all.
 */
int64_t robotsieve_compile(const char *body, size_t body_len, const char *dialect, size_t dialect_len,
                           int64_t max_bytes);

/*
 * Opens an archive of `robotsieve compile` and returns a handle. Agents are as --agent takes them, also
 * with another dialect than auto. The file may be replaced while it is open, but not changed in place.
 */
int64_t robotsieve_open(const char *path, size_t path_len, const char *dialect, size_t dialect_len);

/* Frees what a handle stands for, once nobody asks it any more. */
int64_t robotsieve_free(int64_t handle);

/*
 * Returns the verdict on a URL. A robots.txt judges the path, whatever the scheme and host, and also if
 * there are none. An archive judges by the rules of the URL's origin at an instant, in Unix seconds.
 */
int64_t robotsieve_match(int64_t handle, const char *agent, size_t agent_len, const char *url, size_t url_len,
                         int64_t at);

/*
 * Does so for n URLs in one buffer. offsets are n+1 unsigned integers of offset_size bytes, 4 or 8:
 * where each URL begins, and where the last one ends. If they are NULL and 1, a NUL follows each URL; if
 * NULL and 0, all URLs have the same number of bytes, and NULs at their ends are not of them.
 *
 * allowed gets a bit for each URL, the lowest of a byte first, and has (n+7)/8 bytes; reasons gets a
 * byte for each, lines an int32_t. Each may be NULL. After an error their contents mean nothing; its text
 * begins with the number of the URL, from 0, if it is about one: "URL 5: ...".
 */
int64_t robotsieve_match_many(int64_t handle, const char *agent, size_t agent_len, const char *urls,
                              size_t urls_len, const void *offsets, size_t offset_size, size_t n, int64_t at,
                              uint8_t *allowed, uint8_t *reasons, int32_t *lines);

/*
 * Does so for up to 64 agents at once, whose texts have a NUL between them, in less time. reasons has n bytes
 * for the first agent, then n for the second, and so on.
 */
int64_t robotsieve_match_agents(int64_t handle, const char *agents, size_t agents_len, size_t n_agents,
                                const char *urls, size_t urls_len, const void *offsets, size_t offset_size,
                                size_t n, int64_t at, uint8_t *reasons);

/* Returns the Crawl-delay that a robots.txt asks of an agent, in nanoseconds, or ROBOTSIEVE_NO_DELAY:
 * where readers differ on whose it is, the shortest. */
int64_t robotsieve_crawl_delay(int64_t handle, const char *agent, size_t agent_len);

/*
 * The others write a text and a NUL to a buffer, as much of it as has room, and return the length of the
 * whole text without the NUL: the values of the Sitemap lines of a robots.txt, each once and followed by
 * a newline; those of all lines with a key that is of no user agent or rule, in the groups that bind an
 * agent or, if that is no text, in the file; the name of a reason, such as no_policy; the version; and
 * the text of the last error that was returned to this thread, 1024 bytes at most.
 */
int64_t robotsieve_sitemaps(int64_t handle, char *buffer, size_t size);
int64_t robotsieve_fields(int64_t handle, const char *agent, size_t agent_len, const char *key, size_t key_len,
                          char *buffer, size_t size);
int64_t robotsieve_reason(int64_t reason, char *buffer, size_t size);
int64_t robotsieve_version(char *buffer, size_t size);
int64_t robotsieve_error(char *buffer, size_t size);

#ifdef __cplusplus
}
#endif

#endif
