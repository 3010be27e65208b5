package io.understudy.it;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.TimeZone;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;

/** Runs the contract on common servers in containers; skipped if Docker is unavailable. */
class ContainerContractTest {
    private static final String PASSWORD = "contract";
    private static TimeZone zone;

    @BeforeAll
    static void rememberZone() {
        zone = TimeZone.getDefault();
        TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
    }

    @AfterAll
    static void restoreZone() {
        TimeZone.setDefault(zone);
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(
            strings = {
                "mysql:8.4",
                "mysql:9",
                "mariadb:10.6",
                "mariadb:10.11",
                "mariadb:11.4",
                "mariadb:11.8",
                "percona/percona-server:8.0"
            })
    void holds(String image) throws Exception {
        assumeTrue(
                DockerClientFactory.instance().isDockerAvailable(),
                "no Docker daemon responds on this machine, so the contract was not tried on " + image);
        try (GenericContainer<?> container = new GenericContainer<>(image)
                .withEnv("MYSQL_ROOT_PASSWORD", PASSWORD)
                .withEnv("MYSQL_ROOT_HOST", "%")
                .withExposedPorts(3306)
                .withCommand("--max-allowed-packet=64M", "--local-infile=1")
                .withStartupTimeout(Duration.ofMinutes(5))) {
            container.start();
            // A numeric address: a Java driver may use a socket file for the name localhost.
            InetSocketAddress address = new InetSocketAddress("127.0.0.1", container.getMappedPort(3306));
            ServerUnderTest server = await().atMost(Duration.ofMinutes(3))
                    .ignoreException(IllegalStateException.class)
                    .until(() -> ServerUnderTest.at(address, "root", PASSWORD), Objects::nonNull);
            try (ProxyUnderTest proxy = ProxyUnderTest.to(address)) {
                Assertions.assertAll(image, Contract.between(server, proxy).values());
            }
        }
    }
}
