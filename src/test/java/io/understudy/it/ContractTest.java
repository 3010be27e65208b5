package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TimeZone;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Each step, with each driver, once directly and once through the proxy: an application cannot tell which. */
class ContractTest {
    private static ServerUnderTest server;
    private static ProxyUnderTest proxy;
    private static TimeZone zone;

    @BeforeAll
    static void start() throws Exception {
        zone = TimeZone.getDefault();
        TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
        server = ServerUnderTest.shared();
        proxy = ProxyUnderTest.to(server.address());
    }

    @AfterAll
    static void stop() {
        proxy.close();
        TimeZone.setDefault(zone);
    }

    @TestFactory
    List<DynamicTest> steps() {
        Map<String, Step> steps = new LinkedHashMap<>(StatementSteps.all());
        steps.putAll(TransferSteps.all());
        steps.putAll(SessionSteps.all());
        List<DynamicTest> tests = new ArrayList<>();
        for (Driver driver : Driver.values()) {
            steps.forEach((name, step) -> tests.add(DynamicTest.dynamicTest(driver + ": " + name, () -> {
                List<String> direct = play(driver, step, server.address());
                List<String> proxied = play(driver, step, proxy.address());
                assertThat(Transcript.difference(direct, proxied))
                        .as("direct and proxied")
                        .isEmpty();
            })));
        }
        return tests;
    }

    private static List<String> play(Driver driver, Step step, InetSocketAddress address) throws Exception {
        Transcript transcript = new Transcript();
        step.play(new Scene(driver, address, server, transcript));
        return transcript.lines();
    }
}
