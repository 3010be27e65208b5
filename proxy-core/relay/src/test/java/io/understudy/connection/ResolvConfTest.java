package io.understudy.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResolvConfTest {
    @TempDir
    private Path folder;

    private static List<String> servers(ResolvConf conf) {
        return conf.servers().stream()
                .map(server -> server.getAddress().getHostAddress() + " " + server.getPort())
                .toList();
    }

    @Test
    void parsesLikeTheCLibrary() {
        ResolvConf conf = ResolvConf.parse(List.of(
                "# nameserver 9.9.9.9",
                "; nameserver 9.9.9.8",
                "domain old.test",
                "search a.test  b.test",
                "nameserver 10.0.0.1",
                "nameserver\tfd00::1",
                "nameserver nonsense",
                "nameserver",
                "nameserver 10.0.0.2",
                "nameserver 10.0.0.3",
                "options rotate ndots:5 timeout:2 attempts:3",
                "options ndots:x timeout:999"));
        assertThat(servers(conf)).containsExactly("10.0.0.1 53", "fd00:0:0:0:0:0:0:1 53", "10.0.0.2 53");
        assertThat(conf.search()).containsExactly("a.test", "b.test");
        assertThat(conf.ndots()).isEqualTo(5);
        assertThat(conf.timeoutSeconds()).isEqualTo(30);
    }

    /** A public name server must not be the default. */
    @Test
    void withoutANameServerTheLocalHostIsQueried() throws Exception {
        ResolvConf conf = ResolvConf.read(folder.resolve("not-there"));
        assertThat(conf.servers())
                .singleElement()
                .extracting(InetSocketAddress::getAddress)
                .satisfies(address -> assertThat(address.isLoopbackAddress()).isTrue());
        assertThat(conf.search()).isEmpty();
        assertThat(conf.ndots()).isEqualTo(1);
        assertThat(conf.timeoutSeconds()).isEqualTo(5);
    }
}
