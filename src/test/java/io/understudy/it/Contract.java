package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.function.Executable;

/** Runs each step with each driver, directly and through the proxy. The application must observe no difference. */
final class Contract {
    private Contract() {}

    /** Returns the tests by names made of driver and step. */
    static Map<String, Executable> between(ServerUnderTest server, ProxyUnderTest proxy) {
        Map<String, ApplicationStep> steps = new LinkedHashMap<>(StatementSteps.all());
        steps.putAll(TransferSteps.all());
        steps.putAll(SessionSteps.all());
        Map<String, Executable> tests = new LinkedHashMap<>();
        for (Driver driver : Driver.values()) {
            steps.forEach((name, step) -> tests.put(driver + ": " + name, () -> {
                List<String> direct = play(driver, step, server, server.address());
                List<String> proxied = play(driver, step, server, proxy.address());
                assertThat(Transcript.difference(direct, proxied))
                        .as("direct and proxied")
                        .isEmpty();
            }));
        }
        return tests;
    }

    private static List<String> play(
            Driver driver, ApplicationStep step, ServerUnderTest server, InetSocketAddress address) throws Exception {
        Transcript transcript = new Transcript();
        step.play(new Scene(driver, address, server, transcript));
        return transcript.lines();
    }
}
