// Answers for a crate, named by the first argument: see adapter.go for what is read and written.
mod crates;

use base64::{engine::general_purpose::STANDARD, Engine};
use std::io::{self, BufRead, Write};
use std::time::Instant;

/// Judges all URLs, and tells the nanoseconds that parsing and matching took.
type Answer = fn(agent: &str, body: &[u8], urls: &[String]) -> (u128, u128, Result<String, String>);

/// Times a parser and the matcher that it makes.
fn timed<M: FnMut(&str) -> Option<bool>>(
    parse: impl FnOnce() -> Result<M, String>,
    urls: &[String],
) -> (u128, u128, Result<String, String>) {
    let begin = Instant::now();
    let rules = parse();
    let parsed = begin.elapsed().as_nanos();
    let mut allowed = match rules {
        Ok(allowed) => allowed,
        Err(why) => return (parsed, 0, Err(why)),
    };
    let begin = Instant::now();
    let mut verdicts = String::with_capacity(urls.len());
    for url in urls {
        verdicts.push(match allowed(url) {
            Some(true) => '1',
            Some(false) => '0',
            None => '?',
        });
    }
    (parsed, begin.elapsed().as_nanos(), Ok(verdicts))
}

fn main() -> io::Result<()> {
    let name = std::env::args().nth(1).unwrap_or_default();
    let Some((version, answer)) = crates::named(&name) else {
        eprintln!("no crate {name}");
        std::process::exit(1);
    };
    println!("{version}, Rust");
    for line in io::stdin().lock().lines() {
        let line = line?;
        let words: Vec<Vec<u8>> = line.split(' ').map(|w| STANDARD.decode(w).unwrap_or_default()).collect();
        let text = |w: &Vec<u8>| String::from_utf8_lossy(w).into_owned();
        let urls: Vec<String> = words[3..].iter().map(text).collect();
        let (parse, matched, verdicts) = answer(&text(&words[1]), &words[2], &urls);
        let verdicts = verdicts.unwrap_or_else(|why| format!("!{}", why.replace('\n', " ")));
        println!("{parse} {matched} {verdicts}");
        io::stdout().flush()?;
    }
    Ok(())
}
