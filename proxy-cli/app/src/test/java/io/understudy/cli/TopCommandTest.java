package io.understudy.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code understudy top} against an endpoint that is away for a while. */
@Timeout(60)
class TopCommandTest {
    private static final String DIGESTS = """
            {"digests": [
              {"digest": "00000000000000aa", "kind": "select", "count": %1$d,
               "seconds": {"total": %1$d.0, "p99": 0.5, "max": 1},
               "mirror": {"rules": ["rest"], "mirrored": true, "reasons": ["sampled"], "count": 3, "ratio": 1.5}},
              {"digest": "00000000000000bb", "kind": "insert", "count": %1$d, "seconds": {"total": 0.0},
               "mirror": {"rules": [], "mirrored": false, "reasons": ["writes"]}},
              {"digest": "00000000000000cc", "kind": "select", "count": %1$d, "seconds": {"total": 0.0}}]}
            """;

    /** Ends the command when it has shown enough. */
    private static final class Enough extends Writer {
        private final StringBuilder text = new StringBuilder();

        @Override
        public void write(char[] buffer, int offset, int length) throws IOException {
            text.append(buffer, offset, length);
            if (text.toString().split("digests, ", -1).length > 2) {
                throw new IOException("enough");
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    @Test
    void itGoesOnWhenTheProxyIsBack() throws Exception {
        AtomicInteger requests = new AtomicInteger();
        HttpServer proxy = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        proxy.createContext("/api/digests", exchange -> {
            int number = requests.incrementAndGet();
            if (number == 2) {
                exchange.sendResponseHeaders(503, -1);
            } else {
                // Restarted meanwhile: the counts are smaller.
                byte[] body = DIGESTS.formatted(number == 1 ? 100 : 7).getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(200, body.length);
                exchange.getResponseBody().write(body);
            }
            exchange.close();
        });
        proxy.start();
        Enough out = new Enough();
        try {
            Understudy.commandLine()
                    .setOut(new PrintWriter(out))
                    .execute("top", "--admin", "127.0.0.1:" + proxy.getAddress().getPort(), "--interval", "1");
        } finally {
            proxy.stop(0);
        }
        assertThat(requests).hasValue(3);
        assertThat(out.text.toString())
                .containsSubsequence(
                        "3 digests, 300 statements",
                        "no figures at the moment: ",
                        "responded 503",
                        "3 digests, 21 statements");
        assertThat(out.text.toString())
                .containsPattern("00000000000000aa .* 1\\.50x rest +select")
                .containsPattern("00000000000000bb .* - not: writes +insert")
                .containsPattern("00000000000000cc .* - - +select");
    }
}
