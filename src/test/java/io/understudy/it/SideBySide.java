package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;

/** A server with the table {@code raw} and a proxy to it: plays dialogues directly and through the proxy. */
record SideBySide(ServerUnderTest server, ProxyUnderTest proxy) implements AutoCloseable {
    interface Dialogue {
        /** Sends something and returns what came back. */
        List<String> with(RawClient client) throws IOException;
    }

    static SideBySide start() throws Exception {
        ServerUnderTest server = ServerUnderTest.shared();
        server.execute(
                "DROP TABLE IF EXISTS " + ServerUnderTest.SCHEMA + ".raw",
                "CREATE TABLE " + ServerUnderTest.SCHEMA + ".raw (id INT PRIMARY KEY, v VARCHAR(20) DEFAULT 'd')",
                "INSERT INTO " + ServerUnderTest.SCHEMA + ".raw VALUES (1, 'one'), (2, NULL)");
        return new SideBySide(server, ProxyUnderTest.to(server.address()));
    }

    void assumeMariaDb() {
        assumeTrue(server.isMariaDb(), "this client knows MariaDB's side of it only");
    }

    /** Asserts that both connections return the same. */
    void same(long capabilities, Dialogue dialogue) throws IOException {
        List<String> direct = play(server.address(), capabilities, dialogue);
        List<String> proxied = play(proxy.address(), capabilities, dialogue);
        assertThat(direct).as("something was observed").isNotEmpty();
        assertThat(Transcript.difference(direct, proxied)).isEmpty();
    }

    void same(Dialogue dialogue) throws IOException {
        same(RawClient.PLAIN, dialogue);
    }

    private List<String> play(InetSocketAddress address, long capabilities, Dialogue dialogue) throws IOException {
        try (RawClient client = RawClient.login(address, server, capabilities)) {
            return dialogue.with(client);
        }
    }

    static List<String> hex(List<Packet> packets) {
        return packets.stream().map(Packet::hex).toList();
    }

    static List<String> hex(Packet packet) {
        return List.of(packet.hex());
    }

    @Override
    public void close() {
        proxy.close();
    }
}
