// Answers for the npm package robots-parser: see adapter.go for what is read and
// written.
const readline = require('node:readline');

let robotsParser, version;
try {
  robotsParser = require('robots-parser');
  ({version} = require('robots-parser/package.json'));
} catch (e) {
  console.error(e.message.split('\n')[0]); // the last line is shown: node's own would be its version
  process.exit(1);
}

const clock = process.hrtime.bigint;

function answer(robotsURL, agent, body, urls) {
  const begin = clock();
  let rules;
  try {
    rules = robotsParser(robotsURL, body.toString('utf8'));
  } catch (e) {
    return `${clock() - begin} 0 !${String(e).replaceAll('\n', ' ')}`;
  }
  const parsed = clock();
  let verdicts = '';
  for (const url of urls) {
    let allowed;
    try {
      allowed = rules.isAllowed(url, agent);
    } catch {
      // As undefined: no answer.
    }
    verdicts += allowed === undefined ? '?' : allowed ? '1' : '0';
  }
  const done = clock();
  return `${parsed - begin} ${done - parsed} ${verdicts}`;
}

console.log(`${version}, Node ${process.versions.node}`);
readline.createInterface({input: process.stdin}).on('line', (line) => {
  const [robotsURL, agent, body, ...urls] = line.split(' ').map((word) => Buffer.from(word, 'base64'));
  console.log(answer(String(robotsURL), String(agent), body, urls.map(String)));
});
