// Answers for crawler-commons: see adapter.go for what is read and written.

import crawlercommons.robots.BaseRobotRules;
import crawlercommons.robots.SimpleRobotRulesParser;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;

class CrawlerCommons {
    private final SimpleRobotRulesParser parser = new SimpleRobotRulesParser();

    private String answer(String robotsURL, String agent, byte[] body, String[] urls) {
        long begin = System.nanoTime();
        BaseRobotRules rules;
        try {
            rules = parser.parseContent(robotsURL, body, "text/plain", List.of(agent));
        } catch (RuntimeException e) {
            return System.nanoTime() - begin + " 0 !" + e.toString().replace('\n', ' ');
        }
        long parsed = System.nanoTime();
        char[] verdicts = new char[urls.length];
        for (int i = 0; i < urls.length; i++) {
            try {
                verdicts[i] = rules.isAllowed(urls[i]) ? '1' : '0';
            } catch (RuntimeException e) {
                verdicts[i] = '?';
            }
        }
        long done = System.nanoTime();
        return (parsed - begin) + " " + (done - parsed) + " " + new String(verdicts);
    }

    public static void main(String[] args) throws IOException {
        CrawlerCommons adapter = new CrawlerCommons();
        String version = SimpleRobotRulesParser.class.getProtectionDomain().getCodeSource().getLocation().getPath()
                .replaceAll(".*-|\\.jar$", "");
        System.out.println(version + ", Java " + System.getProperty("java.version"));
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split(" ", -1);
            byte[][] decoded = new byte[words.length][];
            for (int i = 0; i < words.length; i++) {
                decoded[i] = Base64.getDecoder().decode(words[i]);
            }
            String[] urls = new String[words.length - 3];
            for (int i = 0; i < urls.length; i++) {
                urls[i] = new String(decoded[i + 3], StandardCharsets.UTF_8);
            }
            // It wants the agent's name in lower case.
            String agent = new String(decoded[1], StandardCharsets.UTF_8).toLowerCase();
            System.out.println(adapter.answer(new String(decoded[0], StandardCharsets.UTF_8), agent, decoded[2], urls));
        }
    }
}
