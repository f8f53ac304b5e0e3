// How each crate is asked: by the calls that its documentation shows for many URLs of one robots.txt.
use crate::{timed, Answer};
use std::borrow::Cow;
use url::{Position, Url};

/// The version and the calls of a crate.
pub fn named(name: &str) -> Option<(&'static str, Answer)> {
    Some(match name {
        "texting_robots" => ("0.2.2", |agent, body, urls| {
            timed(
                || {
                    let rules = texting_robots::Robot::new(agent, body).map_err(|e| e.to_string())?;
                    Ok(move |url: &str| Some(rules.allowed(url)))
                },
                urls,
            )
        }),
        "robotxt" => ("0.7.0", |agent, body, urls| {
            timed(
                || {
                    let rules = robotxt::Robots::parse(body, agent);
                    Ok(move |url: &str| Url::parse(url).ok().map(|u| rules.is_url_allowed(&u)))
                },
                urls,
            )
        }),
        // It parses the robots.txt for each URL, as Google's interface does.
        "robotstxt" => ("0.3.0", |agent, body, urls| {
            let body: Cow<str> = String::from_utf8_lossy(body);
            timed(
                || {
                    Ok(|url: &str| {
                        let mut matcher = robotstxt::DefaultMatcher::default();
                        Some(matcher.one_agent_allowed_by_robots(&body, agent, url))
                    })
                },
                urls,
            )
        }),
        // It takes text, and a path, which is cut off the URL as its users do.
        "fast-robots" => ("0.1.5", |agent, body, urls| {
            let body: Cow<str> = String::from_utf8_lossy(body);
            let body: &'static str = Box::leak(body.into_owned().into_boxed_str());
            timed(
                || {
                    let rules: &'static _ = Box::leak(Box::new(fast_robots::RobotsTxt::parse(body)));
                    let matcher = rules.matcher();
                    Ok(move |url: &str| {
                        let url = Url::parse(url).ok()?;
                        Some(matcher.is_allowed(agent, &url[Position::BeforePath..Position::AfterQuery]))
                    })
                },
                urls,
            )
        }),
        _ => return None,
    })
}
