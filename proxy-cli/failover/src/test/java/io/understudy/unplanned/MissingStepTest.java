package io.understudy.unplanned;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.understudy.lost.LostSource;
import io.understudy.remote.AdminClient;
import io.understudy.switchover.StepFailure;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What black boxes say of a standby, which has nothing to be applied to then. */
class MissingStepTest {
    private static final String NOTHING = "\"transactions\": 0, \"rescue\": 1";

    private final TakeoverFixture standby = new TakeoverFixture();
    private final List<HttpServer> proxies = new ArrayList<>();
    private final List<LostSource> boxes = new ArrayList<>();
    private final List<String> asked = new ArrayList<>();

    /** @param rescue keys of its response to {@code /api/lost/rescue} */
    private void box(String rescue) throws IOException {
        HttpServer proxy = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        proxy.createContext("/api/lost/rescue", exchange -> {
            boolean part = exchange.getRequestURI().getPath().endsWith("/1");
            asked.add(exchange.getRequestURI().toString());
            byte[] response = (part ? "" : "{" + rescue + "}").getBytes(StandardCharsets.US_ASCII);
            exchange.sendResponseHeaders(200, part ? -1 : response.length);
            if (!part) {
                exchange.getResponseBody().write(response);
            }
            exchange.close();
        });
        proxy.start();
        proxies.add(proxy);
        AdminClient admin = new AdminClient("127.0.0.1:" + proxy.getAddress().getPort(), "token");
        boxes.add(new LostSource(admin, null, List.of()).named("proxy" + proxies.size()));
    }

    @AfterEach
    void stop() {
        proxies.forEach(each -> each.stop(0));
    }

    private String run(boolean promotes) throws Exception {
        return new MissingStep(standby.takeover("10.0.0.1:3306", boxes), promotes, line -> {}).run();
    }

    @Test
    void itIsKnownThatNothingIsMissing() throws Exception {
        box(NOTHING);
        assertThat(run(true)).isEqualTo("nothing is missing");
        assertThat(asked.get(0)).contains("replicated=0-1-5", "logged=0-1-5");
    }

    @Test
    void ofBlackBoxesThatHaveReadNothingNothingIsKnown() throws Exception {
        box(NOTHING + ", \"neverRead\": true");
        assertThat(run(true)).startsWith("NOT KNOWN: ");
        box(NOTHING);
        assertThat(run(true)).isEqualTo("nothing is missing");
    }

    @Test
    void aStandbyWithNumbersFromBeforeTheResetIsNotPromoted() throws Exception {
        box(NOTHING + ", \"renumbered\": true");
        assertThatThrownBy(() -> run(true))
                .isInstanceOf(StepFailure.class)
                .hasMessageContaining("nothing was applied: the primary's numbers began anew")
                .hasMessageNotContaining("rescue --apply");
        assertThat(run(false)).startsWith("NOT KNOWN: what it lacks from before the reset");
    }

    /** What is kept of the time before is named, with what brings it. */
    @Test
    void whatItLacksFromBeforeTheResetIsToBeBroughtFirst() throws Exception {
        box("\"transactions\": 3, \"rescue\": 1, \"renumbered\": true");
        assertThatThrownBy(() -> run(true))
                .hasMessageContaining("it lacks 3 transactions from before")
                .hasMessageContaining("understudy rescue --apply --on s1");
    }

    /** The file of the one has other transactions under the numbers of the other's. */
    @Test
    void filesOfBlackBoxesThatDisagreeAboutAResetAreNotUnited() throws Exception {
        box(NOTHING);
        box(NOTHING + ", \"renumbered\": true");
        assertThatThrownBy(() -> run(false))
                .isInstanceOf(StepFailure.class)
                .hasMessageContaining("by the black box of [proxy2], and that of [proxy1] knows nothing of it");
        assertThat(standby.executed).isEmpty();
    }

    /** One that has read nothing cannot know. */
    @Test
    void aBlackBoxThatHasReadNothingDoesNotDisagree() throws Exception {
        box(NOTHING + ", \"neverRead\": true");
        box(NOTHING + ", \"renumbered\": true, \"hadAll\": true");
        assertThat(run(false)).isEqualTo("nothing is missing from before the reset");
    }

    /** Its numbers denote later transactions: a file of before would be passed over. */
    @Test
    void nothingIsAppliedToOneThatHasSkippedSome() throws Exception {
        box("\"transactions\": 3, \"rescue\": 1, \"renumbered\": true, \"skipped\": true");
        assertThatThrownBy(() -> run(false))
                .hasMessageContaining("has skipped some")
                .hasMessageContaining("understudy rescue --to FILE --on s1");
        assertThatThrownBy(() -> run(true)).hasMessageNotContaining("rescue --apply");
    }

    @Test
    void nothingIsAppliedBehindWritesOfTheStandbysOwn() throws Exception {
        box("\"transactions\": 3, \"rescue\": 1, \"survivorBeyond\": \"0-2-9\"");
        assertThatThrownBy(() -> run(true))
                .isInstanceOf(StepFailure.class)
                .hasMessageContaining("transactions that the old primary never had, as far as it was read (0-2-9)");
    }
}
