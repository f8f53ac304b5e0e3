# Answers for WWW::RobotRules: see adapter.go for what is read and written.
use strict;
use warnings;
no warnings 'utf8';
use MIME::Base64 qw(decode_base64);
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC);
use WWW::RobotRules;

$| = 1;
binmode STDIN;
binmode STDOUT;
$^W = 0; # it warns of malformed lines, of which there are many

printf "%s, Perl %vd\n", $WWW::RobotRules::VERSION, $^V;
while (my $line = <STDIN>) {
    chomp $line;
    my ($robots_url, $agent, $body, @urls) = map { decode_base64($_) } split / /, $line, -1;
    my $begin = clock_gettime(CLOCK_MONOTONIC);
    my $rules = eval {
        my $r = WWW::RobotRules->new($agent);
        $r->parse($robots_url, $body);
        $r;
    };
    my $error = $@;
    my $parsed = clock_gettime(CLOCK_MONOTONIC);
    my $verdicts = '';
    if (!defined $rules) {
        $error =~ s/\n/ /g;
        $verdicts = "!$error";
    } else {
        for my $url (@urls) {
            my $allowed = eval { $rules->allowed($url) };
            # -1 says that it knows nothing of the host.
            $verdicts .= !defined $allowed || $allowed < 0 ? '?' : $allowed ? '1' : '0';
        }
    }
    my $done = clock_gettime(CLOCK_MONOTONIC);
    printf "%.0f %.0f %s\n", ($parsed - $begin) * 1e9, ($done - $parsed) * 1e9, $verdicts;
}
