package io.understudy.demo.pages;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
@Tag("long")
class PagesDemoTest {
    /** The lag is not judged: it is this machine's. */
    @Test
    void savesAQuarterOfThePagesAndLogsNothing() throws Exception {
        StringWriter out = new StringWriter();

        PagesDemo.Seen seen = new PagesDemo(30_000, 100, new PrintWriter(out)).experiment();

        assertThat(seen.missed()).as("%s", out).isEmpty();
        assertThat(seen.lag()).isPositive();
        assertThat(out.toString())
                .contains("demo.orders", "rebuilding", "Lag of a small write, ms", "Cold pages a random look-up")
                .containsPattern(
                        "Excess over the primary +[+-][0-9.]+ before, [+-][0-9.]+ right after, [+-][0-9.]+ warmed")
                .containsPattern("Updates replicated meanwhile +[1-9]")
                .containsPattern("Logged by the standby itself +nothing")
                .containsPattern("CHECKSUM TABLE +equal on both servers");
    }
}
