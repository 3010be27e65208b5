package io.understudy.cli.defragment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.understudy.base.JsonWriter;
import io.understudy.remote.AdminClient;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Leases at a proxy that is restarted, which a server in its place stands for. */
class ProxyReadsTest {
    private static final Duration MOST = Duration.ofSeconds(30);

    private final Queue<String> log = new ConcurrentLinkedQueue<>();
    private final Queue<String> actions = new ConcurrentLinkedQueue<>();
    private final Set<String> skipped = ConcurrentHashMap.newKeySet();
    private final Set<String> boosted = ConcurrentHashMap.newKeySet();
    private HttpServer proxy;
    private ProxyReads reads;

    @BeforeEach
    void start() throws Exception {
        proxy = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        proxy.createContext("/api/mirror", exchange -> {
            if (exchange.getRequestMethod().equals("POST")) {
                act(exchange.getRequestURI().getPath());
            }
            byte[] body = view().getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        proxy.start();
        reads = new ProxyReads(
                new AdminClient("127.0.0.1:" + proxy.getAddress().getPort(), "token"),
                "s1",
                Duration.ofMinutes(1),
                log::add);
    }

    @AfterEach
    void stop() {
        reads.again("shop.Orders");
        proxy.stop(0);
    }

    private void act(String path) {
        String[] parts = path.split("/");
        String table = parts[5].toLowerCase(java.util.Locale.ROOT);
        switch (parts[4]) {
            case "skip" -> skipped.add(table);
            case "unskip" -> skipped.remove(table);
            case "boost" -> boosted.add(table);
            default -> boosted.remove(table);
        }
        actions.add(parts[4]);
    }

    private String view() {
        Map<String, Long> leases = new ConcurrentHashMap<>();
        skipped.forEach(table -> leases.put(table, 0L));
        List<Map<String, Object>> boosts = boosted.stream()
                .map(table -> Map.<String, Object>of("table", table, "statements", 0L))
                .toList();
        return JsonWriter.write(
                Map.of("standbys", List.of(Map.of("standby", "s1", "skippedTables", leases, "boostedTables", boosts))));
    }

    @Test
    void aSkipBeginsAnewWhenTheProxyHasLostIt() {
        assertThat(reads.skip("shop.Orders")).contains("its reads are not mirrored during the rebuild");
        assertThat(actions).containsExactly("skip");

        skipped.clear();

        await().atMost(MOST).until(() -> skipped.contains("shop.orders"));
        await().atMost(MOST).until(() -> !log.isEmpty());
        assertThat(log).containsExactly("shop.Orders: the proxy had no skip of it (a restart?); it has begun anew");
        assertThat(reads.again("shop.Orders")).contains("its reads are mirrored again");
        assertThat(skipped).isEmpty();
    }

    @Test
    void aBoostBeginsAnewWhenTheProxyHasLostIt() throws Exception {
        reads.rewarm("shop.Orders", millis -> {
            boosted.clear();
            await().atMost(MOST).until(() -> !log.isEmpty());
            return true;
        });

        assertThat(log).containsExactly("shop.Orders: the proxy had no boost of it (a restart?); it has begun anew");
        assertThat(actions).containsExactly("boost", "boost", "unboost");
    }
}
