-- What published studies of crawlers measure, as queries of DuckDB; docs/howto/studies.md defines the measures. They read
-- three files of the same audit, in the folder in which this runs (duckdb < studies.sql):
--
--   robotsieve audit --policy history --list all --output parquet access.log* > rows.parquet
--   robotsieve audit --policy history --list undeclared --output parquet access.log* > undeclared.parquet
--   robotsieve audit --policy history --output json access.log* > report.json

-- The time that before_after compares the requests before and after.
SET VARIABLE moment = TIMESTAMPTZ '2026-11-17 10:00:00+00';

-- Requests of crawlers. Those that are not known are one group, because anybody may invent a name.
CREATE OR REPLACE VIEW requests AS
WITH named AS (
  SELECT *, operator <> 'unknown' OR category <> 'unknown' AS known, coalesce(origin, '') AS site, epoch_us(time) AS us,
    coalesce(method = 'GET' AND (verdict = 'robots_fetch' OR target = '/robots.txt'), false) AS fetched
  FROM 'rows.parquet')
SELECT *, CASE WHEN known THEN crawler ELSE '(unknown crawlers)' END AS name,
  NOT fetched AND verdict <> 'robots_fetch' AS page, page AND verdict IN ('allowed', 'violation') AS decided
FROM named;

-- Sessions end after five minutes without a request under one name, from one address, to one site.
CREATE OR REPLACE VIEW sessions AS
WITH gaps AS (
  SELECT *, us - lag(us) OVER client > 300000000 AS starts
  FROM requests WHERE address IS NOT NULL AND us IS NOT NULL
  WINDOW client AS (PARTITION BY name, identity, site, address, crawler ORDER BY us)),
numbered AS (
  SELECT *, count(*) FILTER (starts) OVER (PARTITION BY name, identity, site, address, crawler ORDER BY us) AS session
  FROM gaps)
SELECT name, category, operator, site, identity, address, crawler, session, min(time) AS start, count(*) AS requests,
  count(*) FILTER (decided) AS decided, count(*) FILTER (decided AND verdict = 'violation') AS violations,
  count(*) FILTER (page) AS pages, coalesce(min(us) FILTER (fetched) <= min(us) FILTER (page), false) AS checked
FROM numbered GROUP BY ALL;

-- A visit is of one known crawler to one site, over the whole log. Requests without a time come first.
CREATE OR REPLACE VIEW visits AS
SELECT name, category, operator, site, identity, count(*) FILTER (page) AS pages,
  min(coalesce(us, 0)) FILTER (page) AS first_page, min(us) FILTER (fetched) AS first_fetch
FROM requests WHERE known GROUP BY ALL;

CREATE OR REPLACE VIEW fetch_gaps AS
SELECT name, category, operator, site, identity,
  us - lag(us) OVER (PARTITION BY name, identity, site ORDER BY us) AS gap
FROM requests WHERE known AND fetched AND us IS NOT NULL QUALIFY gap IS NOT NULL;

CREATE OR REPLACE VIEW crawlers AS
SELECT name, category, operator, identity, bool_and(verdict = 'allowed') AS complied, count(*) AS requests,
  (name, identity) IN (SELECT (name, identity) FROM visits WHERE pages > 0 AND first_fetch IS NOT NULL) AS checked
FROM requests WHERE known AND decided GROUP BY ALL;

CREATE OR REPLACE VIEW report AS
SELECT * FROM read_json('report.json', maximum_object_size = 1073741824, columns = {
  robots_txt: 'STRUCT(logged BOOLEAN)',
  crawlers: 'STRUCT(crawler VARCHAR, crawl_delay STRUCT(origin VARCHAR, delay_seconds DOUBLE, gaps BIGINT, shorter BIGINT)[])[]',
  changes: 'STRUCT(origin VARCHAR, "time" VARCHAR, old_file VARCHAR, new_file VARCHAR, crawlers STRUCT(crawler VARCHAR,
    "before" BIGINT, "after" BIGINT, changed_paths_before BIGINT, changed_paths_after BIGINT, first_fetch_seconds BIGINT)[])[]'});

-- Each unit of each measure, and whether it has what the share is of.
CREATE OR REPLACE VIEW units AS
SELECT 'requests_complied' AS measure, 'requests' AS unit, name, category, operator, site, identity,
  verdict = 'allowed' AS has, 1 AS requests FROM requests WHERE decided
UNION ALL SELECT 'sessions_complied', 'sessions', name, category, operator, site, identity, violations = 0, decided
  FROM sessions WHERE decided > 0
UNION ALL SELECT 'session_checked_first', 'sessions', name, category, operator, site, identity, checked, 0
  FROM sessions WHERE pages > 0
UNION ALL SELECT 'checked_first', 'visits', name, category, operator, site, identity,
  coalesce(first_fetch <= first_page, false), 0 FROM visits WHERE pages > 0
UNION ALL SELECT 'never_checked', 'visits', name, category, operator, site, identity, first_fetch IS NULL, 0
  FROM visits WHERE pages > 0
UNION ALL SELECT 'recheck_' || hours || 'h', 'gaps', name, category, operator, site, identity, gap <= hours * 3600000000, 0
  FROM fetch_gaps, (SELECT unnest([12, 24, 48, 72, 168]) AS hours)
UNION ALL SELECT 'crawlers_complied', 'crawlers', NULL, category, operator, NULL, identity, complied, requests FROM crawlers
UNION ALL SELECT 'crawlers_checked', 'crawlers', NULL, category, operator, NULL, identity, checked, requests FROM crawlers
UNION ALL SELECT 'crawlers_checked_and_complied', 'crawlers', NULL, category, operator, NULL, identity,
  checked AND complied, requests FROM crawlers;

-- The measures, for all, by category, operator, crawler and site. low and high are Wilson's interval of 95 %.
CREATE OR REPLACE VIEW study AS
WITH scoped AS (
  SELECT measure, scope, unit, identity, has, requests, CASE scope WHEN 'all' THEN '' WHEN 'category' THEN category
    WHEN 'operator' THEN operator WHEN 'crawler' THEN name ELSE site END AS name
  FROM units, (SELECT unnest(['all', 'category', 'operator', 'crawler', 'site']) AS scope)),
shares AS (
  SELECT measure, scope, name, identity, count(*) AS n, unit, nullif(sum(requests), 0)::BIGINT AS requests,
    count(*) FILTER (has) / count(*) AS p, 1.959963984540054 AS z
  FROM scoped WHERE name IS NOT NULL AND (measure NOT LIKE '%check%' OR (SELECT robots_txt.logged FROM report)) GROUP BY ALL),
intervals AS (
  SELECT *, p + z * z / (2 * n) AS middle, z * sqrt(p * (1 - p) / n + z * z / (4 * n * n)) AS width FROM shares)
SELECT measure, scope, name, identity, n, unit, requests, round(p, 6) AS value,
  CASE unit WHEN 'sessions' THEN round(greatest((middle - width) / (1 + z * z / n), 0), 6) END AS low,
  CASE unit WHEN 'sessions' THEN round(least((middle + width) / (1 + z * z / n), 1), 6) END AS high
FROM intervals
ORDER BY array_position(['all', 'category', 'operator', 'crawler', 'site'], scope), name, identity, measure;

-- The directives Crawl-delay and Disallow as the report has counted them: the share of gaps that are not shorter than
-- the delay, and the shares of requests for changed paths on both sides of a change of robots.txt, with z.
CREATE OR REPLACE VIEW directives AS
WITH delays AS (
  SELECT c.crawler, unnest(c.crawl_delay) AS d FROM (SELECT unnest(crawlers) AS c FROM report)),
sides AS (
  SELECT change, unnest(change.crawlers) AS c FROM (SELECT unnest(changes) AS change FROM report)),
shares AS (
  SELECT change.origin, change."time", change.old_file, change.new_file, c.crawler, c."before" AS n1, c."after" AS n2,
    c.changed_paths_before / n1 AS p1, c.changed_paths_after / n2 AS p2,
    (c.changed_paths_before + c.changed_paths_after) / (n1 + n2) AS p
  FROM sides WHERE n1 > 0 AND n2 > 0 AND c.changed_paths_before IS NOT NULL)
SELECT 'crawl_delay' AS measure, crawler, d.gaps AS n, round((d.gaps - d.shorter) / d.gaps, 6) AS value, d.origin,
  NULL AS "time" FROM delays
UNION ALL SELECT 'changed_paths_before', crawler, n1, round(p1, 6), origin, "time" FROM shares
UNION ALL SELECT 'changed_paths_after', crawler, n2, round(p2, 6), origin, "time" FROM shares
UNION ALL SELECT 'changed_paths_z', crawler, n1 + n2, round((p2 - p1) / sqrt(p * (1 - p) * (1 / n1 + 1 / n2)), 6), origin,
  "time" FROM shares WHERE p > 0 AND p < 1
ORDER BY ALL;

-- The rules that forbid what was requested all the same, by requests, crawlers and sites.
CREATE OR REPLACE VIEW broken_rules AS
SELECT rule_file, rule_version, rule_line, rule, identity, count(*) AS requests, count(DISTINCT name) AS crawlers,
  count(DISTINCT site) AS sites
FROM requests WHERE verdict = 'violation' GROUP BY ALL ORDER BY requests DESC, rule_file, rule_version, rule_line, identity;

-- The share of requests that complied before and after a time.
CREATE OR REPLACE VIEW before_after AS
WITH shares AS (
  SELECT name, identity, count(*) FILTER (us < epoch_us(getvariable('moment'))) AS n1,
    count(*) FILTER (us >= epoch_us(getvariable('moment'))) AS n2,
    count(*) FILTER (us < epoch_us(getvariable('moment')) AND verdict = 'allowed') / nullif(n1, 0) AS p1,
    count(*) FILTER (us >= epoch_us(getvariable('moment')) AND verdict = 'allowed') / nullif(n2, 0) AS p2
  FROM requests WHERE decided GROUP BY ALL)
SELECT name, identity, n1 AS requests_before, round(p1, 6) AS complied_before, n2 AS requests_after,
  round(p2, 6) AS complied_after FROM shares ORDER BY n1 + n2 DESC, name, identity;

-- Clients that name no crawler, those with most requests for what robots.txt forbids to * first: by address, and of
-- IPv6 by the first four groups, which are one client's.
CREATE OR REPLACE MACRO client(address) AS CASE
  WHEN address IS NULL THEN '-'
  WHEN address ILIKE '::ffff:%.%' THEN address[8:]
  WHEN NOT contains(address, ':') THEN address
  ELSE array_to_string([lower(coalesce(nullif(ltrim(g, '0'), ''), '0')) FOR g IN list_concat(
    [g FOR g IN string_split(split_part(address, '::', 1), ':') IF g <> ''], ['0', '0', '0', '0'])[1:4]], ':') || '::/64' END;

CREATE OR REPLACE VIEW undeclared AS
WITH clients AS (
  SELECT client(address) AS client, count(*) AS forbidden, min(time) AS first, max(time) AS last,
    count(DISTINCT coalesce(user_agent, '')) AS headers
  FROM 'undeclared.parquet' GROUP BY ALL),
headers AS (
  SELECT client(address) AS client, user_agent AS header, count(*) AS header_requests FROM 'undeclared.parquet'
  GROUP BY client, header
  QUALIFY row_number() OVER (PARTITION BY client ORDER BY header_requests DESC, header) = 1),
rules AS (
  SELECT client(address) AS client, rule, rule_line, count(*) AS rule_requests FROM 'undeclared.parquet'
  GROUP BY client, origin, rule_version, rule_line, rule
  QUALIFY row_number() OVER (PARTITION BY client ORDER BY rule_requests DESC, origin, rule_version, rule_line) = 1)
SELECT * FROM clients JOIN headers USING (client) JOIN rules USING (client) ORDER BY forbidden DESC, client;

FROM study;
FROM directives;
FROM broken_rules;
FROM before_after;
FROM undeclared LIMIT 20;
