package io.understudy.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Invalid files with the exact messages for them. */
class WrongDocumentsTest {

    private static final String OK = "primary: { address: \"p:1\" }\n";

    static Stream<Arguments> wrong() {
        return Stream.of(
                arguments(
                        "",
                        "1:1: primary: required: the server to connect clients to, such as primary: { address:"
                                + " 127.0.0.1:3306 }"),
                arguments(
                        "primary: {}",
                        "1:10: primary.address: required: where the primary listens, such as 127.0.0.1:3306"),
                arguments(
                        "primary: { adress: \"p:1\" }", "1:12: primary: unknown key 'adress'; did you mean 'address'?"),
                arguments(OK + "lisen: {}", "2:1: unknown key 'lisen'; did you mean 'listen'?"),
                arguments(
                        OK + "colour: red",
                        "2:1: unknown key 'colour'; known here: transport, listen, primary, standbys, admin, limits,"
                                + " log, metrics, pages, switchover, failover, peers, plugins"),
                arguments(
                        OK + "transport: eppol",
                        "2:12: transport: expected one of auto, io_uring, epoll, nio but found 'eppol'; did you mean"
                                + " 'epoll'?"),
                arguments(
                        OK + "listen: { maxConnections: many }",
                        "2:27: listen.maxConnections: expected an integer but found 'many'"),
                arguments(
                        OK + "listen: { maxConnections: \"100\" }",
                        "2:27: listen.maxConnections: expected an integer but found the string '100'; remove the"
                                + " quotes"),
                arguments(
                        OK + "listen: { maxConnections: 3000000000 }",
                        "2:27: listen.maxConnections: expected an integer but found '3000000000' (at most 2147483647)"),
                arguments(
                        OK + "listen: { maxConnections: 0 }",
                        "2:27: listen.maxConnections: expected at least 1 but found 0"),
                arguments(
                        OK + "listen: { maxConnections: [1] }",
                        "2:27: listen.maxConnections: expected an integer but found a list"),
                arguments(
                        OK + "listen: 3307",
                        "2:9: listen: expected a mapping with the keys address, tls, compression, proxyProtocol,"
                                + " trustedNetworks, maxConnections, reusePort, threads but found '3307'"),
                arguments(
                        OK + "listen: { address: 127.0.0.1 }",
                        "2:20: listen.address: expected host:port, [ipv6]:port or unix:/path but found '127.0.0.1',"
                                + " which has no port"),
                arguments(
                        OK + "listen: { address: [\"h:1\", \"h:70000\"] }",
                        "2:28: listen.address[1]: expected a port from 0 to 65535 at the end but found 'h:70000'"),
                arguments(
                        OK + "listen: { address: [\"h:1\", \"h:1\"] }",
                        "2:28: listen.address[1]: is listed twice; remove one"),
                arguments(
                        OK + "listen: { reusePort: true, address: [\"h:1\", \"unix:/s\"] }",
                        "2:45: listen.address[1]: is a socket file, which two processes cannot share; remove it, or"
                                + " listen.reusePort"),
                arguments(
                        OK + "transport: nio\nlisten: { reusePort: true }",
                        "3:22: listen.reusePort: needs epoll or io_uring; remove transport: nio, or this key"),
                arguments(
                        OK + "metrics: { otlp: { interval: 5s } }",
                        "2:18: metrics.otlp.url: required: where the collector receives metrics, such as"
                                + " http://127.0.0.1:4318/v1/metrics"),
                arguments(
                        OK + "metrics: { otlp: { url: \"collector:4318\" } }",
                        "2:25: metrics.otlp.url: expected a URL such as http://127.0.0.1:4318/v1/metrics but found"
                                + " 'collector:4318'"),
                arguments(
                        OK + "metrics: { otlp: { url: \"http://collector:4318\" } }",
                        "2:25: metrics.otlp.url: expected a path at the end, such as /v1/metrics, but found"
                                + " 'http://collector:4318'"),
                arguments(
                        OK + "metrics: { otlp: { url: \"http://collector:4318/v1/metrics\", interval: 100ms } }",
                        "2:71: metrics.otlp.interval: expected 1s to 1h"),
                arguments(
                        OK + "metrics: { otlp: { url: \"http://collector:4318/v1/metrics\", header: {} } }",
                        "2:61: metrics.otlp: unknown key 'header'; did you mean 'headers'?"),
                arguments(
                        OK + "metrics: { otlp: { url: \"http://c:1/v1/metrics\", headers: { Host: x } } }",
                        "2:59: metrics.otlp.headers: 'Host' is set by the proxy; remove it here"),
                arguments(
                        OK + "metrics: { otlp: { url: \"http://c:1/v1/metrics\", headers: { \"X Y\": x } } }",
                        "2:59: metrics.otlp.headers: 'X Y' is no name of a header"),
                arguments(
                        OK + "metrics: { otlp: { url: \"http://c:1/v1/metrics\", headers: { K: \"a\\nb\" } } }",
                        "2:59: metrics.otlp.headers: the value of 'K' has characters that no header may have, such as a"
                                + " line break"),
                arguments(OK + "listen: { address: [] }", "2:20: listen.address: required: at least one address"),
                arguments(
                        OK + "listen: { address: \"p:1\" }",
                        "1:21: primary.address: is the proxy's own listen.address: it would connect to itself"),
                arguments(
                        OK + "listen: { tls: { mode: required, key: k.pem } }",
                        "2:16: listen.tls.certificate: required: a PEM file, since tls is on"),
                arguments(
                        OK
                                + "listen: { tls: { mode: required, certificate: c, key: k,"
                                + " requireClientCertificate: true } }",
                        "2:16: listen.tls.clientCa: required: a PEM file to check the client certificates against"),
                arguments(
                        OK + "listen: { tls: { mode: optional, certificate: c, key: k, clientCa: a,"
                                + " requireClientCertificate: true } }",
                        "2:97: listen.tls.requireClientCertificate: needs mode: required; in any other mode a client"
                                + " without TLS is let in without a certificate"),
                arguments(
                        OK + "listen: { tls: { requireClientCertificate: yes } }",
                        "2:44: listen.tls.requireClientCertificate: expected true or false but found 'yes'"),
                arguments(
                        OK + "listen: { proxyProtocol: v2 }",
                        "2:9: listen.trustedNetworks: required: whoever may send a PROXY header can claim any address;"
                                + " list the load balancers"),
                arguments(
                        OK + "listen: { trustedNetworks: 10.1.0.0/8 }",
                        "2:28: listen.trustedNetworks: '10.1.0.0/8' has bits set behind its prefix; the network is"
                                + " 10.0.0.0/8"),
                arguments(
                        OK + "listen: { compression: [zlib, lz4] }",
                        "2:31: listen.compression[1]: expected one of zlib, zstd but found 'lz4'"),
                arguments(
                        OK + "listen: { compression: [zlib, zlib] }",
                        "2:31: listen.compression[1]: is listed twice; remove one"),
                arguments(
                        "primary: { address: \"p:1\", compression: [as-client, zlib] }",
                        "1:41: primary.compression: as-client stands alone: remove it or the algorithms beside it"),
                arguments(
                        OK + "listen: { compression: as-client }",
                        "2:24: listen.compression: expected one of zlib, zstd but found 'as-client'"),
                arguments(
                        OK + "standbys: [{ name: a, address: \"s:1\", user: u, tls: { mode: as-client } }]",
                        "2:61: standbys[0].tls.mode: as-client is of primary.tls: a standby has no client's leg; write"
                                + " preferred, required, verify-ca or verify-full"),
                arguments(
                        "primary: { address: \"p:0\" }",
                        "1:21: primary.address: port 0 cannot be connected to; write the server's port, usually 3306"),
                arguments(
                        "primary: { address: \"p:1\", connectTimeout: 5 parsecs }",
                        "1:44: primary.connectTimeout: expected a duration such as 250ms, 5s, 10m, 1h or 2d but"
                                + " found '5 parsecs'"),
                arguments(
                        "primary: { address: \"p:1\", connectTimeout: 0s }",
                        "1:44: primary.connectTimeout: must be at least 1ms; there is no value that switches it off"),
                arguments(
                        "primary: { address: \"p:1\", tls: { certificate: c.pem } }",
                        "1:33: primary.tls.key: required: the private key of the certificate"),
                arguments(
                        OK + "standbys: { name: a b, address: \"s:1\", user: u }",
                        "2:19: standbys.name: expected 1 to 63 letters, digits, dots, dashes and underscores but"
                                + " found 'a b'"),
                arguments(
                        "primary: { address: \"p:1\", candidates: [\"p:2\", \"p:1\"], monitor: { user: u } }",
                        "1:40: primary.candidates: stands in place of address; remove one of the two"),
                arguments(
                        "primary: { candidates: [\"p:2\", \"p:1\"] }",
                        "1:24: primary.candidates: needs monitor with user and password, to find out which candidate is"
                                + " writable"),
                arguments(
                        "primary: { candidates: [\"p:1\", \"p:1\"], monitor: { user: u } }",
                        "1:24: primary.candidates: names the same address twice"),
                arguments(
                        OK
                                + "standbys: [{ name: a, address: \"s:1\", user: u }, { name: a, address: \"s:2\","
                                + " user: u }]",
                        "2:58: standbys[1].name: is already the name of standbys[0]; names must differ"),
                arguments(
                        OK + "standbys: [{ name: a, address: \"s:1\", user: u }, ]\nadmin: { address: unix:/x }",
                        "3:19: admin.address: expected host:port: HTTP is not served on a socket file"),
                arguments(
                        OK + "admin: { address: 127.0.0.1:3307 }",
                        "2:19: admin.address: is also in listen.address; give one of them another port"),
                arguments(
                        OK + "admin: { token: \"${env:EMPTY}\" }",
                        "2:17: admin.token: is empty; set it, or remove the key to switch off what needs it"),
                arguments(OK + "log: { format: xml }", "2:16: log.format: expected one of text, json but found 'xml'"),
                arguments(
                        OK + "log: { level: off }",
                        "2:15: log.level: off hides why the proxy fails; the least is error"),
                arguments(
                        OK + "log: { levels: { sesion: debug } }",
                        "2:26: log.levels.sesion: 'sesion' is neither a plugin nor a part of the proxy; did you mean"
                                + " 'session'?; a package or class is written with its dots"),
                arguments(
                        OK + "limits: { statementBytes: 64 }",
                        "2:27: limits.statementBytes: expected a size such as 512B, 64KiB, 16MiB or 1GiB but found"
                                + " '64'"),
                arguments(
                        OK + "limits: { statementBytes: 1GiB }",
                        "2:27: limits.statementBytes: expected 1KiB to 16MiB but found 1GiB"),
                arguments(
                        OK + "plugins: { sampel: {} }",
                        "2:12: plugins: unknown plugin 'sampel'; did you mean 'sample'?"),
                arguments(
                        OK + "plugins: { audit: {} }",
                        "2:12: plugins: unknown plugin 'audit'; known here: other-sample, sample"),
                arguments(OK + "plugins: { sample: on }", "2:20: plugins.sample: expected a mapping but found 'on'"),
                arguments(
                        OK + "plugins: { sample: { queue: { length: 7 } } }",
                        "2:31: plugins.sample.queue: 'length' was removed: statements are counted instead; set"
                                + " 'statements'"),
                arguments(
                        OK + "standbys: { name: s, address: b:1, user: u, compression: zlib }",
                        "2:45: standbys: 'compression' was removed: no connection to a standby is compressed; leave"
                                + " it out"),
                arguments(
                        OK + "plugins: { sample: { concurrency: 0 } }",
                        "2:35: plugins.sample.concurrency: must be at least 1 but is 0"),
                arguments(
                        OK + "plugins: { sample: { enabled: maybe } }",
                        "2:31: plugins.sample.enabled: expected true or false but found 'maybe'"),
                arguments(
                        OK + "plugins: { sample: { rate: 10 } }",
                        "2:28: plugins.sample.rate: expected a rate such as 10% but found '10'"),
                arguments(
                        OK + "plugins: { sample: { rate: { of: 10 } } }",
                        "2:28: plugins.sample.rate: expected a value such as 10% but found a mapping"),
                arguments(
                        OK + "plugins: { sample: { rules: [{ sample: 1% }] } }",
                        "2:30: plugins.sample.rules[0].name: required: what metrics call the rule"),
                arguments(
                        OK + "plugins: { sample: { weights: { a: b } } }",
                        "2:36: plugins.sample.weights.a: expected an integer but found 'b'"),
                arguments(
                        OK + "primary: { address: \"q:1\" }", "2:1: duplicate key 'primary'; it is already set at 1:1"),
                arguments(
                        "- a",
                        "1:1: expected a mapping with the keys transport, listen, primary, standbys, admin, limits,"
                                + " log, metrics, pages, switchover, failover, peers, plugins"
                                + " but found a list"),
                arguments(OK + "? [a]\n: b", "2:3: a key must be a single word; quote a value that starts with { or ["),
                arguments(
                        OK + "limits: { <<: { drainTimeout: 1s } }",
                        "2:11: merge keys (<<) are not part of YAML 1.2; repeat the keys here"),
                arguments(
                        OK + "plugins: { sample: { initSql: !root } }",
                        "2:31: YAML reads a leading ! as a tag; put the value in quotes"),
                arguments(
                        OK + "plugins: { sample: { initSql: *_log } }",
                        "2:31: YAML reads a leading * as an alias, and none of that name is defined; put the value"
                                + " in quotes"),
                arguments(
                        OK + "plugins: { sample: { initSql: @x } }",
                        "2:31: YAML syntax: found character '@' that cannot start any token. (Do not use @ for"
                                + " indentation);"
                                + " put the value in quotes, and indent with spaces"),
                arguments(
                        OK + "limits: { drainTimeout: ${env:NUMBER} }",
                        "2:26: YAML syntax: expected ',' or '}', but got {; put a value that contains { in quotes,"
                                + " as in"
                                + " \"${env:NAME}\""),
                arguments(
                        "primary:\n  address: p:1\n   tls: {}",
                        "3:7: YAML syntax: mapping values are not allowed here"),
                arguments(
                        OK + "---\nprimary: { address: \"q:1\" }",
                        "2:1: only one document is read; remove the second '---'"),
                arguments(
                        OK + "limits: &a { drainTimeout: *a }",
                        "2:9: this value contains itself through an alias; write it out"),
                arguments(OK + "limits: \"\u0007\"", "2:10: the character U+0007 is not allowed in YAML; remove it"),
                arguments(OK + "x: " + "[".repeat(70), "2:67: nested more than 64 levels deep"));
    }

    @ParameterizedTest
    @MethodSource("wrong")
    void reportsMistakesWithTheirPlace(String text, String expected) {
        assertThat(ConfigTexts.headlines(text)).containsExactly("test.yaml:" + expected);
    }

    @Test
    void showsTheLineWithACaret() {
        assertThat(ConfigTexts.problems(OK + "listen:\n\tx: 1").get(0).toString())
                .contains("    \tx: 1\n    ^");
        assertThat(ConfigTexts.problems("primary:\n  address: p:1\nlisten:\n  maxConections: 100"))
                .singleElement()
                .hasToString("test.yaml:4:3: listen: unknown key 'maxConections'; did you mean 'maxConnections'?\n"
                        + "      maxConections: 100\n"
                        + "      ^");
    }

    @Test
    void aLongLineIsCutAroundTheCaret() {
        String excerpt = ConfigTexts.problems("primary: { address: \"p:1\"," + " ".repeat(300) + "z: 1 }")
                .get(0)
                .excerpt();
        String[] lines = excerpt.split("\n", -1);
        assertThat(lines[0].length()).isLessThan(200);
        assertThat(lines[0].charAt(lines[1].indexOf('^'))).isEqualTo('z');
    }

    @Test
    void everyMistakeIsReportedAtOnceInOrder() {
        assertThat(ConfigTexts.headlines("""
                        transport: fast
                        primary:
                          adress: 127.0.0.1:3306
                          connectTimeout: soon
                        listen:
                          maxConnections: 0
                          maxConections: 5
                          tls: { mode: required }
                        standbys:
                          - { name: a, address: nowhere, user: u }
                          - { address: "s:1" }
                        limits: { drainTimeout: "${env:NOT_SET}" }
                        plugins:
                          sample: { concurrency: 0, queue: { bytes: 5 } }
                          smaple: {}
                        """))
                .containsExactly(
                        "test.yaml:1:12: transport: expected one of auto, io_uring, epoll, nio but found 'fast'",
                        "test.yaml:3:3: primary: unknown key 'adress'; did you mean 'address'?",
                        "test.yaml:4:19: primary.connectTimeout: expected a duration such as 250ms, 5s, 10m, 1h or 2d"
                                + " but found 'soon'",
                        "test.yaml:6:19: listen.maxConnections: expected at least 1 but found 0",
                        "test.yaml:7:3: listen: unknown key 'maxConections'; did you mean 'maxConnections'?",
                        "test.yaml:8:8: listen.tls.certificate: required: a PEM file, since tls is on",
                        "test.yaml:8:8: listen.tls.key: required: a PEM file, since tls is on",
                        "test.yaml:10:25: standbys[0].address: expected host:port, [ipv6]:port or unix:/path"
                                + " but found 'nowhere', which has no port",
                        "test.yaml:11:5: standbys[1].name: required: what metrics and the log call this standby",
                        "test.yaml:11:5: standbys[1].user: required: the read-only account that mirrored statements"
                                + " run under",
                        "test.yaml:12:25: the environment variable NOT_SET is not set",
                        "test.yaml:14:26: plugins.sample.concurrency: must be at least 1 but is 0",
                        "test.yaml:14:45: plugins.sample.queue.bytes: expected a size such as 512B, 64KiB, 16MiB or"
                                + " 1GiB"
                                + " but found '5'",
                        "test.yaml:15:3: plugins: unknown plugin 'smaple'; did you mean 'sample'?");
    }

    @Test
    void expandedAliasesAreLimited() {
        StringBuilder text = new StringBuilder("a0: &a0 [x, x, x, x, x, x, x, x]\n");
        for (int i = 1; i < 10; i++) {
            String alias = "*a" + (i - 1);
            text.append("a" + i + ": &a" + i + " ["
                    + String.join(", ", List.of(alias, alias, alias, alias, alias, alias)) + "]\n");
        }
        assertThat(ConfigTexts.headlines(text.toString()))
                .containsExactly(
                        "test.yaml:1:1: the document has more than 100000 values once its aliases are unfolded;"
                                + " split it");
    }

    @Test
    void anAdminEndpointThatOtherHostsReachIsAWarning() throws ConfigException {
        String primary = "primary: { address: 'p:1' }\nadmin: { address: '%s'%s }\n";
        assertThat(headlines(primary.formatted("0.0.0.0:9307", "")))
                .singleElement()
                .asString()
                .contains(
                        "test.yaml:2:19: warning: admin.address: other hosts",
                        "no TLS",
                        "are open to them",
                        "admin.tls");
        assertThat(headlines(primary.formatted("[::]:9307", ", token: a-token-of-fair-length")))
                .singleElement()
                .asString()
                .contains("the token and SQL text can be read on the way");
        assertThat(headlines(primary.formatted("[::]:9307", ", enabled: false")))
                .isEmpty();
        assertThat(headlines(primary.formatted("127.0.0.1:9307", ""))).isEmpty();
        String tls = ", tls: { certificate: 'a.pem', key: 'a.key' }";
        assertThat(headlines(primary.formatted("[::]:9307", tls)))
                .singleElement()
                .asString()
                .contains("there is no token");
        assertThat(headlines(primary.formatted("[::]:9307", tls + ", token: a-token-of-fair-length")))
                .isEmpty();
        assertThat(ConfigTexts.headlines(primary.formatted("[::]:9307", ", tls: { key: k }")))
                .singleElement()
                .asString()
                .contains("admin.tls.certificate: required: a PEM file");
    }

    private static List<String> headlines(String text) throws ConfigException {
        return ConfigTexts.text(text).warnings().stream()
                .map(problem -> problem.headline())
                .toList();
    }

    @Test
    void aDrainDelayThatAnotherKeyVoidsIsReported() throws ConfigException {
        String text = "primary: { address: \"p:1\" }\nlisten: { reusePort: %s }\nlimits: { drainDelay: 8s }\n";
        assertThat(headlines(text.formatted("true")))
                .singleElement()
                .asString()
                .contains("limits.drainDelay: has no effect with listen.reusePort");
        assertThat(headlines(text.formatted("false"))).isEmpty();
    }

    /** failover.md has both of a pair listed. */
    @Test
    void thePrimarysEntryIsReportedOnlyWhereItIsAlone() throws ConfigException {
        String primary = "primary: { address: \"p:1\" }\nstandbys: [ { name: a, address: \"p:1\", user: u }%s ]\n";
        assertThat(headlines(primary.formatted(""))).singleElement().asString().contains("is the primary's address");
        assertThat(headlines(primary.formatted(", { name: b, address: \"s:1\", user: u }")))
                .isEmpty();
    }

    @Test
    void warningsDoNotRefuse() throws ConfigException {
        assertThat(ConfigTexts.text("""
                        primary: { address: "p:1", tls: { mode: required, ca: ca.pem } }
                        listen: { tls: { certificate: c.pem }, trustedNetworks: 10.0.0.0/8 }
                        admin: { token: short }
                        standbys:
                          - { name: a, address: "s:1", user: u }
                          - { name: b, address: "s:1", user: u }
                        """).warnings().stream().map(p -> p.headline()))
                .containsExactly(
                        "test.yaml:1:55: warning: primary.tls.ca: not used: only verify-ca and verify-full check the"
                                + " server's certificate",
                        "test.yaml:2:31: warning: listen.tls.certificate: not used: tls is disabled here; set mode:"
                                + " optional or required",
                        "test.yaml:2:57: warning: listen.trustedNetworks: not used: proxyProtocol is disabled",
                        "test.yaml:3:17: warning: admin.token: shorter than 16 characters, which can be guessed;"
                                + " 'openssl rand -hex 16' makes one",
                        "test.yaml:6:25: warning: standbys[1].address: is also the address of standbys[0]: the same"
                                + " server would get every mirrored statement twice");
    }
}
