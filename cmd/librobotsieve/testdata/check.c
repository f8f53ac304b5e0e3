/*
 * Tests of the C interface, which the tests of the package build and run:
 *
 *     check vectors < CASES      cases with their verdicts, as c_test.go writes them
 *     check fuzz SEED SECONDS ARCHIVE
 *     check threads SECONDS ARCHIVE
 *     check leak COMPILATIONS
 *
 * Every text that is given ends where a page ends that cannot be read, and is overwritten after the
 * call; every buffer that is written ends so too.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "robotsieve.h"

#define CHECK(what) ((what) ? (void)0 : failed(__LINE__, #what))

static void failed(int line, const char *what) {
	char text[1025] = "";
	robotsieve_error(text, sizeof text);
	fprintf(stderr, "check.c:%d: %s; the last error: %s\n", line, what, text);
	exit(1);
}

enum { ROOM = 1 << 20 };

/* A place for texts that end at a page that cannot be used. */
typedef struct { char *start; } place;

static place new_place(void) {
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *start = mmap(NULL, ROOM + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(start != MAP_FAILED);
	CHECK(mprotect(start + ROOM, page, PROT_NONE) == 0);
	return (place){start};
}

/* Returns the last len bytes of a place, a copy of data if that is not NULL. */
static char *at_end(place p, const void *data, size_t len) {
	CHECK(len <= ROOM);
	char *to = p.start + ROOM - len;
	if (data != NULL)
		memcpy(to, data, len);
	return to;
}

static void overwrite(char *text, size_t len) { memset(text, 0xaa, len); }

/* ---- vectors ---- */

static char *read_text(place p, size_t *len) {
	uint32_t n;
	if (fread(&n, 4, 1, stdin) != 1)
		return NULL;
	*len = n;
	char *to = at_end(p, NULL, n);
	CHECK(fread(to, 1, n, stdin) == n);
	return to;
}

static int vectors(void) {
	place dialects = new_place(), bodies = new_place(), agents = new_place(), urls = new_place();
	size_t dialect_len, body_len, agent_len, url_len, cases = 0;
	char *dialect;
	while ((dialect = read_text(dialects, &dialect_len)) != NULL) {
		char *body = read_text(bodies, &body_len), *agent = read_text(agents, &agent_len);
		char *url = read_text(urls, &url_len);
		uint32_t want[2];
		CHECK(fread(want, 4, 2, stdin) == 2);
		int64_t h = robotsieve_compile(body, body_len, dialect, dialect_len, -1);
		CHECK(h > 0);
		overwrite(body, body_len);
		int64_t v = robotsieve_match(h, agent, agent_len, url, url_len, 0);
		CHECK(v >= 0);
		if (ROBOTSIEVE_REASON(v) != !want[0] || ROBOTSIEVE_LINE(v) != want[1]) {
			fprintf(stderr, "case %zu: reason %d, line %d, want allowed %d, line %d\n", cases, ROBOTSIEVE_REASON(v),
			        (int)ROBOTSIEVE_LINE(v), (int)want[0], (int)want[1]);
			return 1;
		}
		uint64_t offsets[4] = {0, url_len, url_len, url_len};
		uint8_t bits = 0xff, reasons[3];
		int32_t lines[3];
		CHECK(robotsieve_match_many(h, agent, agent_len, url, url_len, offsets, 8, 1, 0, &bits, reasons, lines) == 0);
		CHECK(bits == want[0] && reasons[0] == !want[0] && (uint32_t)lines[0] == want[1]);
		overwrite(url, url_len);
		overwrite(agent, agent_len);
		CHECK(robotsieve_free(h) == 0 && robotsieve_free(h) == ROBOTSIEVE_BAD_HANDLE);
		CHECK(robotsieve_match(h, agent, agent_len, url, url_len, 0) == ROBOTSIEVE_BAD_HANDLE);
		cases++;
	}
	printf("%zu cases\n", cases);
	return 0;
}

/* ---- fuzz ---- */

static _Thread_local uint64_t seed = 1;

static uint64_t any(uint64_t below) {
	seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
	return below == 0 ? 0 : seed % below;
}

static const char *words[] = {
	"User-agent: *\n", "user-agent: GPTBot\n", "Disallow: /", "Allow: /a", "/b*c$\n", "crawl-delay: 1.5\n", "\n", "\r",
	"Sitemap: https://a.example/s.xml\n", "request-rate: 1/5\n", "https://", "http://a.example", "://", ":443", "?", "#",
	"/robots.txt", ";", "GPTBot", "Googlebot/2.1", "Mozilla/5.0 (compatible; bingbot/2.0)", "*", "auto", "google",
	"rfc9309", "original", "\0", " ", "%2f", "%C3%A9", "\xc3\x28", "\xff",
};

/* Returns words and bytes, mostly few, at the end of a place, or NULL. */
static char *any_text(place p, size_t *len) {
	static _Thread_local char text[1 << 16];
	size_t n = 0, parts = any(8) == 0 ? any(2000) : any(12);
	for (; parts > 0 && n < sizeof text - 64; parts--) {
		if (any(3) > 0) {
			const char *word = words[any(sizeof words / sizeof *words)];
			size_t size = *word ? strlen(word) : 1;
			memcpy(text + n, word, size);
			n += size;
		} else {
			text[n++] = (char)any(256);
		}
	}
	*len = n;
	return n == 0 && any(2) ? NULL : at_end(p, text, n);
}

enum { HANDLES = 16 };

static int64_t any_handle(const int64_t *handles) {
	switch (any(12)) {
	case 0: return (int64_t)any(0);
	case 1: return (int64_t)(seed = seed * 6364136223846793005u + 1);
	case 2: return -(int64_t)any(1000);
	default: return handles[any(HANDLES)];
	}
}

/* Sets and returns offsets of n texts, now and then wrong ones. */
static void *any_offsets(place p, size_t n, size_t len, size_t size) {
	char *to = at_end(p, NULL, (n + 1) * size);
	uint64_t last = 0;
	for (size_t i = 0; i <= n; i++) {
		uint64_t x = any(200) == 0 ? seed : last + any((len - last) / 2 + 1);
		last = x <= len ? x : last;
		if (size == 4)
			memcpy(to + i * 4, &(uint32_t){(uint32_t)x}, 4);
		else
			memcpy(to + i * 8, &x, 8);
	}
	return to;
}

static void fuzz_many(int64_t h, place *p) {
	size_t agent_len, len, n = any(70), size = any(3) == 0 ? any(10) : 4 + 4 * any(2);
	char *agent = any_text(p[0], &agent_len), *urls = any_text(p[1], &len);
	void *offsets = any(4) == 0 ? NULL : any_offsets(p[2], n, len, size == 8 ? 8 : 4);
	uint8_t *allowed = (uint8_t *)at_end(p[3], NULL, (n + 7) / 8), *reasons = (uint8_t *)at_end(p[4], NULL, n);
	int32_t *lines = (int32_t *)at_end(p[5], NULL, n * 4);
	allowed[-1] = reasons[-1] = 0x5a;
	int64_t status = robotsieve_match_many(h, agent, agent_len, urls, len, offsets, offsets ? size : any(3), n,
	                                       any(2) ? ROBOTSIEVE_NEWEST : (int64_t)seed, any(4) ? allowed : NULL,
	                                       any(4) ? reasons : NULL, any(4) ? lines : NULL);
	CHECK(status == 0 || (status < 0 && status >= ROBOTSIEVE_BAD_FILE));
	CHECK(allowed[-1] == 0x5a && reasons[-1] == 0x5a);
	size_t agents = any(4);
	reasons = (uint8_t *)at_end(p[4], NULL, n * agents);
	reasons[-1] = 0x5a;
	status = robotsieve_match_agents(h, agent, agent_len, agents, urls, len, offsets, offsets ? size : any(3), n,
	                                 ROBOTSIEVE_NEWEST, reasons);
	CHECK(status == 0 || (status < 0 && status >= ROBOTSIEVE_BAD_FILE));
	CHECK(reasons[-1] == 0x5a);
}

static void fuzz_step(int64_t *handles, place *p, const char *archive) {
	size_t a, b, size = any(3) == 0 ? 0 : any(400);
	char *x = any_text(p[0], &a), *y = any_text(p[1], &b), *out = at_end(p[2], NULL, size);
	int64_t h = any_handle(handles), status = 0, *slot = &handles[any(HANDLES)];
	char *buffer = size == 0 && any(2) ? NULL : out;
	switch (any(11)) {
	case 0:
		status = robotsieve_compile(x, a, any(4) ? NULL : y, any(4) ? 0 : b, (int64_t)any(3) - 1);
		if (status > 0) {
			robotsieve_free(*slot);
			*slot = status;
		}
		break;
	case 1:
		status = any(2) ? robotsieve_open(archive, strlen(archive), NULL, 0) : robotsieve_open(x, a, y, b);
		if (status > 0) {
			robotsieve_free(*slot);
			*slot = status;
		}
		break;
	case 2: status = robotsieve_free(h); break;
	case 3: status = robotsieve_sitemaps(h, buffer, size); break;
	case 4: status = robotsieve_fields(h, x, a, y, b, buffer, size); break;
	case 5: status = robotsieve_crawl_delay(h, x, a); break;
	case 6: status = robotsieve_reason((int64_t)any(20) - 2, buffer, size); break;
	case 7: status = any(2) ? robotsieve_error(buffer, size) : robotsieve_version(buffer, size); break;
	case 8: fuzz_many(h, p); break;
	case 9: status = robotsieve_match(h, x, a, y, b, (int64_t)seed); break;
	default: status = robotsieve_match(h, "GPTBot", 6, y, b, (int64_t)any(2) * ROBOTSIEVE_NEWEST);
	}
	CHECK(status >= ROBOTSIEVE_BAD_FILE);
	if (x != NULL)
		overwrite(x, a);
	if (y != NULL)
		overwrite(y, b);
}

static int fuzz(uint64_t from, double seconds, const char *archive) {
	place p[6];
	int64_t handles[HANDLES] = {0};
	long steps = 0;
	for (size_t i = 0; i < 6; i++)
		p[i] = new_place();
	seed = from * 2 + 1;
	for (clock_t start = clock(); (double)(clock() - start) / CLOCKS_PER_SEC < seconds; steps++)
		fuzz_step(handles, p, archive);
	CHECK(robotsieve_match_many(1, NULL, 3, NULL, 0, NULL, 0, 0, 0, NULL, NULL, NULL) == ROBOTSIEVE_BAD_ARGUMENT);
	CHECK(robotsieve_match_many(1, "a", 1, NULL, 0, handles, 8, SIZE_MAX, 0, NULL, NULL, NULL) == ROBOTSIEVE_BAD_ARGUMENT);
	for (size_t n = 0; n < 66; n += 65)
		CHECK(robotsieve_match_agents(1, "a", 1, n, NULL, 0, NULL, 0, 0, 0, (uint8_t *)p) == ROBOTSIEVE_BAD_ARGUMENT);
	CHECK(robotsieve_compile("a", SIZE_MAX, NULL, 0, 0) == ROBOTSIEVE_BAD_ARGUMENT);
	printf("%ld steps\n", steps);
	return 0;
}

/* ---- threads ---- */

static const char body[] = "user-agent: GPTBot\ndisallow: /private/\ncrawl-delay: 3\n\nuser-agent: *\ndisallow: /x*y\n";
static int64_t shared[4]; /* a robots.txt, an archive, and one of each that all threads replace */
static const char *shared_archive;
static double shared_seconds;

static int64_t opened(int archive) {
	int64_t h = archive ? robotsieve_open(shared_archive, strlen(shared_archive), NULL, 0)
	                    : robotsieve_compile(body, sizeof body - 1, NULL, 0, 0);
	CHECK(h > 0);
	return h;
}

static int64_t asked(int64_t h, const char *url) {
	return robotsieve_match(h, "GPTBot", 6, url, strlen(url), ROBOTSIEVE_NEWEST);
}

static void *one_thread(void *arg) {
	static const char forbidden[] = "https://a.example/private/1", other[] = "https://a.example/public";
	long *steps = arg;
	time_t end = time(NULL) + (time_t)shared_seconds;
	for (seed = (uint64_t)(uintptr_t)arg | 1; time(NULL) < end; ++*steps) {
		int archive = any(2);
		int64_t h = shared[archive];
		CHECK(ROBOTSIEVE_REASON(asked(h, forbidden)) == ROBOTSIEVE_DISALLOWED && asked(h, forbidden) >> 8 == 2);
		CHECK(asked(h, other) == ROBOTSIEVE_ALLOWED);
		if (any(50) == 0) { /* others ask it meanwhile */
			int64_t old = __atomic_exchange_n(&shared[2 + archive], opened(archive), __ATOMIC_SEQ_CST);
			CHECK(robotsieve_free(old) == 0 && robotsieve_free(old) == ROBOTSIEVE_BAD_HANDLE);
		}
		int64_t v = asked(__atomic_load_n(&shared[2 + archive], __ATOMIC_SEQ_CST), forbidden);
		CHECK(v == (2 << 8 | ROBOTSIEVE_DISALLOWED) || v == ROBOTSIEVE_BAD_HANDLE);
	}
	return NULL;
}

static int threads(double seconds, const char *archive) {
	pthread_t all[8];
	long steps[8] = {0}, sum = 0;
	shared_archive = archive, shared_seconds = seconds;
	for (int i = 0; i < 4; i++)
		shared[i] = opened(i % 2);
	for (int i = 0; i < 8; i++)
		CHECK(pthread_create(&all[i], NULL, one_thread, &steps[i]) == 0);
	for (int i = 0; i < 8; i++) {
		CHECK(pthread_join(all[i], NULL) == 0);
		sum += steps[i];
	}
	printf("%ld steps of 8 threads\n", sum);
	return 0;
}

/* ---- leak ---- */

static long resident(void) {
	long size = 0, pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");
	CHECK(f != NULL && fscanf(f, "%ld %ld", &size, &pages) == 2);
	fclose(f);
	return pages * sysconf(_SC_PAGESIZE) / 1024;
}

static int leak(long compilations) {
	long before = 0;
	char text[256];
	for (long i = 0; i < compilations; i++) {
		int n = snprintf(text, sizeof text, "user-agent: bot%ld\ndisallow: /%ld/*a\ndisallow: /b$\n", i % 1000, i);
		int64_t h = robotsieve_compile(text, (size_t)n, NULL, 0, 0);
		CHECK(h > 0 && robotsieve_match(h, "bot1", 4, "/b", 2, 0) >= 0 && robotsieve_free(h) == 0);
		if (i == compilations / 5)
			before = resident();
	}
	printf("%ld KiB resident after a fifth of %ld compilations, %ld after all\n", before, compilations, resident());
	CHECK(resident() - before < 8 * 1024);
	return 0;
}

int main(int argc, char **argv) {
	if (argc == 2 && strcmp(argv[1], "vectors") == 0)
		return vectors();
	if (argc == 5 && strcmp(argv[1], "fuzz") == 0)
		return fuzz(strtoull(argv[2], NULL, 10), atof(argv[3]), argv[4]);
	if (argc == 4 && strcmp(argv[1], "threads") == 0)
		return threads(atof(argv[2]), argv[3]);
	if (argc == 3 && strcmp(argv[1], "leak") == 0)
		return leak(atol(argv[2]));
	return 2;
}
