package io.understudy.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.understudy.base.Secret;
import io.understudy.config.bind.RecordShape;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FailoverAndPeersTest {
    private static final String MONITORED = "primary: { address: a:1, monitor: { user: u } }\n";

    private static UnderstudyConfig with(String more) throws ConfigException {
        return ConfigTexts.text(MONITORED + more).config();
    }

    @Test
    void byDefaultNothingWaitsAndThereIsNoOtherProxy() throws ConfigException {
        UnderstudyConfig config = ConfigTexts.text("primary: { address: a:1 }").config();
        assertThat(config.failover()).isEqualTo(RecordShape.defaults(FailoverConfig.class));
        assertThat(config.failover().hold()).isZero();
        assertThat(config.peers()).isEmpty();
        assertThat(with("failover:\npeers:\n").failover()).isEqualTo(RecordShape.defaults(FailoverConfig.class));
    }

    @Test
    void theHoldIsADuration() throws ConfigException {
        assertThat(with("failover: { hold: 30s }").failover().hold()).isEqualTo(Duration.ofSeconds(30));
        assertThatThrownBy(() -> with("failover: { hold: 11m }"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("failover.hold: expected 0s to 10m but found 11m");
    }

    @Test
    void accountsNeedAPasswordAndAreListedOnce() throws ConfigException {
        FailoverConfig read = with("failover: { accounts: [{ user: a, password: x }], fullAuthentication: true }")
                .failover();
        assertThat(read.accounts()).containsExactly(new FailoverAccount("a", Secret.parse("x")));
        assertThat(read.fullAuthentication()).isTrue();
        assertThat(read.toString()).doesNotContain("x,").contains("***");
        assertThatThrownBy(() -> with("failover: { accounts: [{ user: a }] }"))
                .hasMessageContaining("failover.accounts[0].password: required");
        assertThatThrownBy(() -> with("failover: { accounts: [{ user: a, password: x }, { user: a, password: y }] }"))
                .hasMessageContaining("failover.accounts[1].user: is listed above");
    }

    @Test
    void theHoldNeedsTheProbesOfTheMonitor() {
        assertThatThrownBy(() -> ConfigTexts.text("primary: { address: a:1 }\nfailover: { hold: 30s }"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("failover.hold: needs primary.monitor");
    }

    @Test
    void peersAreAddressesOrANameOrBoth() throws ConfigException {
        Peer second = new Peer(Address.parse("proxy-2:9307"), null, 9307);
        assertThat(with("peers: [proxy-2:9307]").peers()).containsExactly(second);
        assertThat(with("peers: proxy-2:9307").peers()).containsExactly(second);
        assertThat(with("peers: { dns: understudy-headless }").peers())
                .containsExactly(new Peer(null, "understudy-headless", 9307));
        assertThat(with("peers: [{ dns: others, port: 9400 }, proxy-2:9307]").peers())
                .isEqualTo(List.of(new Peer(null, "others", 9400), second));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    [proxy-2]                      | peers[0]: expected host:port
                    [unix:/run/x]                  | peers[0]: expected host:port: HTTP is not served
                    { dns: 'a:9307' }              | peers.dns: expected a name alone; its port is the key port
                    { dns: a, port: 0 }            | peers.port: expected 1 to 65535 but found 0
                    { dsn: a }                     | peers: unknown key 'dsn'; did you mean 'dns'?
                    [{ port: 9307 }]               | or { dns: NAME }
                    [[a:1]]                        | expected a value such as proxy-2:9307
                    """)
    void whatIsNoPeerIsSaidWhereItStands(String peers, String message) {
        assertThatThrownBy(() -> with("peers: " + peers))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(message);
    }

    @Test
    void bothAreLive() throws ConfigException {
        ConfigDiff diff = ConfigDiff.between(
                ConfigTexts.text(MONITORED), ConfigTexts.text(MONITORED + "failover: { hold: 1s }\npeers: [b:1]"));
        assertThat(diff.afterRestart()).isEmpty();
        assertThat(diff.live()).extracting(ConfigDiff.Change::path).containsExactly("failover.hold", "peers");
        assertThat(ConfigDiff.between(
                                ConfigTexts.text(MONITORED + "peers: [b:1]"),
                                ConfigTexts.text(MONITORED + "peers: [c:1]"))
                        .live())
                .hasSize(1);
    }
}
