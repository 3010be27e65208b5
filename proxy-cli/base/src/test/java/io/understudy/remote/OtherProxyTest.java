package io.understudy.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.understudy.config.ConfigLoader;
import io.understudy.config.UnderstudyConfig;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class OtherProxyTest {
    private static List<OtherProxy> proxies(String peers) throws Exception {
        UnderstudyConfig config = ConfigLoader.load(
                        "primary: { address: 'a:1' }\nadmin: { address: '127.0.0.1:9307' }\npeers: " + peers,
                        "test.yaml",
                        Map.of(),
                        name -> null)
                .config();
        return OtherProxy.of(config);
    }

    private static List<String> names(String peers) throws Exception {
        return proxies(peers).stream().map(OtherProxy::name).toList();
    }

    @Test
    void theProxyOfTheFileIsNotAnotherOne() throws Exception {
        assertThat(names("[127.0.0.1:9307, 127.0.0.1:9308, 127.0.0.1:9308]")).containsExactly("127.0.0.1:9308");
        assertThat(names("{ dns: 127.0.0.1 }")).isEmpty();
        assertThat(names("{ dns: 127.0.0.1, port: 9308 }")).containsExactly("127.0.0.1:9308");
    }

    @Test
    void aNameThatIsNotKnownIsAProxyThatDoesNotRespond() throws Exception {
        List<OtherProxy> proxies = proxies("{ dns: no-such-name.invalid }");
        assertThat(proxies).extracting(OtherProxy::name).containsExactly("no-such-name.invalid:9307");
        assertThatThrownBy(() -> proxies.get(0).admin().view("primary"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no-such-name.invalid:9307");
    }
}
