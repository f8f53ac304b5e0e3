package report

import (
	"strings"
	"time"
)

// Zone returns the time zone of a name: of IANA, an offset such as +02:00, Local, or empty for UTC.
func Zone(name string) (*time.Location, error) {
	switch {
	case strings.EqualFold(name, "local"):
		return time.Local, nil
	case name == "Z":
		return time.UTC, nil
	}
	if at, err := time.Parse("Z07:00", name); err == nil {
		return at.Location(), nil
	}
	return time.LoadLocation(name)
}

// Localize gives the times of a report the offset of its TimeZone, for people.
func (r *Report) Localize() {
	zone, err := Zone(r.TimeZone)
	if err != nil || zone == time.UTC {
		return
	}
	times := []*string{&r.From, &r.To, &r.Since, &r.Until, &r.OutsideFrom, &r.OutsideTo}
	for i := range r.Policy.Versions {
		times = append(times, &r.Policy.Versions[i].From)
	}
	for i := range r.RobotsTxt.Listed {
		times = append(times, &r.RobotsTxt.Listed[i].First, &r.RobotsTxt.Listed[i].Last)
	}
	for i := range r.Changes {
		times = append(times, &r.Changes[i].Time, &r.Changes[i].Since)
	}
	for i := range r.Crawlers {
		c := &r.Crawlers[i]
		times = append(times, &c.RobotsTxt.First, &c.RobotsTxt.Last)
		for j := range c.Rules {
			times = append(times, &c.Rules[j].Version)
		}
	}
	for _, text := range times {
		if at, err := time.Parse(time.RFC3339, *text); err == nil {
			*text = at.In(zone).Format(time.RFC3339Nano)
		}
	}
}
