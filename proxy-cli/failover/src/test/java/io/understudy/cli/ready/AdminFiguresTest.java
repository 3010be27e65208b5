package io.understudy.cli.ready;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.understudy.lost.MissingView;
import io.understudy.plugin.StandbyFigures;
import io.understudy.readiness.Known;
import io.understudy.readiness.ProxyFigures;
import io.understudy.remote.AdminClient;
import io.understudy.remote.OtherProxy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What another proxy's black box has is not missing, as {@code report lost} has it. */
class AdminFiguresTest {
    private static final String ROW = "\"answeredAndMissing\": {\"count\": 1, \"transactions\": [{\"gtid\": \"0-1-7\"";
    private static final String LACKS = "{\"primary\": {\"read\": false}, \"toApply\": {\"transactions\": 0}, " + ROW
            + "}], \"captured\": 0, \"notCaptured\": 1}}";
    private static final String HAS = "{\"primary\": {\"read\": true}, \"toApply\": {\"transactions\": 1}, "
            + "\"captured\": {\"transactions\": 1, \"numbers\": \"0:7\"}, "
            + ROW + ", \"captured\": true}], \"captured\": 1, \"notCaptured\": 0}}";

    private final List<HttpServer> proxies = new ArrayList<>();

    private OtherProxy box(String response) throws IOException {
        HttpServer proxy = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        proxy.createContext("/api/lost/look", exchange -> {
            byte[] body = response.getBytes(StandardCharsets.US_ASCII);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        proxy.start();
        proxies.add(proxy);
        String address = "127.0.0.1:" + proxy.getAddress().getPort();
        return new OtherProxy(address, new AdminClient(address, "token"));
    }

    @AfterEach
    void stop() {
        proxies.forEach(each -> each.stop(0));
    }

    private static Known<Map<String, Object>> lost(OtherProxy own, OtherProxy... peers) throws InterruptedException {
        long until = System.nanoTime() + Duration.ofSeconds(10).toNanos();
        return new ReadyCommand.AdminFigures(own.admin(), List.of(peers), until).lost("s1");
    }

    @Test
    void theBlackBoxesOfPeersAreAsked() throws Exception {
        OtherProxy own = box(LACKS);
        MissingView alone = new MissingView(Objects.requireNonNull(lost(own).value()));
        assertThat(alone.nowhere()).isEqualTo(1);
        assertThat(alone.isPrimaryGone()).isTrue();

        MissingView all =
                new MissingView(Objects.requireNonNull(lost(own, box(HAS)).value()));
        assertThat(all.nowhere()).isZero();
        assertThat(all.kept()).isEqualTo(1);
        assertThat(all.isPrimaryGone()).isFalse();
        assertThat(all.part("toApply")).containsEntry("transactions", 1L);
    }

    @Test
    void onePeerThatDoesNotRespondIsNamed() throws Exception {
        OtherProxy down = new OtherProxy("px:1", new AdminClient("127.0.0.1:1", "token"));
        Map<String, Object> all = Objects.requireNonNull(lost(box(LACKS), down).value());
        assertThat(String.valueOf(all.get("notAsked"))).contains("proxy=px:1");
        assertThat(new MissingView(all).nowhere()).isEqualTo(1);
        assertThat(lost(down, box(HAS)).value()).isNull();
    }

    @Test
    void oneWhoseCertificateIsNotTrustedIsNotToBeStarted() {
        Exception failure = new IOException("its certificate has expired", new SSLHandshakeException("expired"));
        assertThat(ReadyCommand.AdminFigures.unknown(failure).toString())
                .contains("its certificate has expired", "mend that, and repeat this")
                .doesNotContain("start the proxy");
    }

    /** It accepts connections, and says nothing. */
    @Test
    void aPeerThatIsSlowLeavesTheOthersTheirShare() throws Exception {
        OtherProxy own = box(LACKS);
        OtherProxy fast = box(HAS);
        lost(own, fast); // the first request takes long
        try (ServerSocket frozen = new ServerSocket(0, 9, InetAddress.getLoopbackAddress())) {
            String address = "127.0.0.1:" + frozen.getLocalPort();
            OtherProxy slow = new OtherProxy(address, new AdminClient(address, "token"));
            long until = System.nanoTime() + Duration.ofSeconds(4).toNanos();
            Map<String, Object> all =
                    Objects.requireNonNull(new ReadyCommand.AdminFigures(own.admin(), List.of(slow, fast), until)
                            .lost("s1")
                            .value());
            assertThat(String.valueOf(all.get("notAsked"))).contains("proxy=" + address);
            assertThat(new MissingView(all).kept()).isEqualTo(1);
        }
    }

    /** Else a slow black box would hide that the witness has withdrawn. */
    @Test
    void theWitnessIsAskedBeforeTheBlackBoxes() throws Exception {
        boolean[] late = {false};
        ProxyFigures.Source source = new ProxyFigures.Source() {
            @Override
            public Object view(String name) throws IOException {
                if (late[0]) {
                    throw new IOException("no time is left");
                }
                return Map.of("state", name);
            }

            @Override
            public Known<Map<String, Object>> lost(String standby) {
                late[0] = true;
                return Known.of(Map.of());
            }
        };
        assertThat(ProxyFigures.of(source, "s1", new StandbyFigures(null, false, true))
                        .witness())
                .isEqualTo(Map.of("state", "witness"));
    }
}
