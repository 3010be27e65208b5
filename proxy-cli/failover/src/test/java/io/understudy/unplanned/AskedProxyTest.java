package io.understudy.unplanned;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.understudy.config.ConfigLoader;
import io.understudy.config.UnderstudyConfig;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class AskedProxyTest {
    @Test
    void oneThatIsLeftOutMustBeOneOfThem() throws Exception {
        UnderstudyConfig config =
                ConfigLoader.load("""
                        listen: { address: "127.0.0.1:0" }
                        primary: { address: "db1:3306" }
                        admin: { address: "127.0.0.1:9101", token: a-token-of-fair-length }
                        peers: [ "p2:9101" ]
                        """, "test.yaml", Map.of(), name -> null).config();
        assertThatThrownBy(() -> AskedProxy.all(config, without("p2")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(
                        "--without p2: no such proxy or standby; expected one of 127.0.0.1:9101, p2:9101");
        assertThat(AskedProxy.all(config, without("p2:9101", "127.0.0.1:9101"))).isEmpty();
    }

    private static FailoverOptions without(String... proxies) {
        return new FailoverOptions(false, Duration.ofSeconds(1), Set.of(proxies), null);
    }
}
