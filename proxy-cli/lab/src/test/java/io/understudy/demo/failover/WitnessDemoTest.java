package io.understudy.demo.failover;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(600)
@Tag("long")
class WitnessDemoTest {
    @Test
    void everythingHappensAsClaimed() throws Exception {
        StringWriter text = new StringWriter();
        new WitnessDemo(Duration.ofMillis(85), Duration.ofSeconds(16), new PrintWriter(text, true)).run();
        System.out.println(text);
        // What it returns also says whether the witness was fast, which is not so on a busy machine.
        assertThat(text.toString())
                .contains("lost: nothing", "new primary lacks     0")
                .doesNotContainPattern("a client was told: [1-9]");
    }
}
