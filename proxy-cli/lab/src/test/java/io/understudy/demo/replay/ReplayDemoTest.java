package io.understudy.demo.replay;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(240)
@Tag("long")
class ReplayDemoTest {
    @Test
    void theDroppedIndexAndTheChangedRowAreFound() throws Exception {
        StringWriter out = new StringWriter();
        boolean found = new ReplayDemo(Duration.ofSeconds(5), new PrintWriter(out)).run();
        assertThat(found).as("%s", out).isTrue();
        assertThat(out.toString())
                .contains("0 failed", "The dropped index was found, the changed row was found, and nothing else.");
    }
}
