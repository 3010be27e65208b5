package io.understudy.it;

import java.util.List;
import java.util.TimeZone;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Runs the contract on the server that this module's tests share. */
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
        return Contract.between(server, proxy).entrySet().stream()
                .map(step -> DynamicTest.dynamicTest(step.getKey(), step.getValue()))
                .toList();
    }
}
