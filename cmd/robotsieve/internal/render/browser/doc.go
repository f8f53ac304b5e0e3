// Package browser tests the page of audit --html in Chromium. It is a separate module so that
// nothing else depends on a browser driver.
package browser
