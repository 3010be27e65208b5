package io.understudy.demo.failover;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(600)
@Tag("long")
class FailoverDemoTest {
    @Test
    void everythingHappensAsClaimed() throws Exception {
        StringWriter text = new StringWriter();
        boolean claimed = new FailoverDemo(8, 300, new PrintWriter(text, true)).run();
        System.out.println(text);
        assertThat(claimed).as(text.toString()).isTrue();
        assertThat(text.toString())
                .contains("held for ", "the new primary lacks 0", "Answered OK and missing: ", "CHECKSUM TABLE");
    }
}
