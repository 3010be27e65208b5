package io.understudy.it.legs;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.embedded.EmbeddedServer;
import io.understudy.embedded.ServerOptions;
import io.understudy.it.ProxyUnderTest;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compression on each leg, alone, together and with TLS: large values, many rows, a client's file. */
@Tag("long")
class CompressionTest {
    @TempDir
    static Path folder;

    static EmbeddedServer server;
    static TestCertificates certificates;

    @BeforeAll
    static void start() throws Exception {
        certificates = new TestCertificates(folder);
        server =
                EmbeddedServer.start(ServerOptions.of(1).withArguments("--local-infile=1", "--max-allowed-packet=64M"));
        server.execute("CREATE USER app IDENTIFIED BY 'secret'", "GRANT ALL ON *.* TO app", "CREATE DATABASE shop");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @ParameterizedTest(name = "driver {0}, server leg {1}, TLS {2}")
    @CsvSource({
        "mariadb, true, false, false",
        "mariadb, false, true, false",
        "mariadb, true, true, false",
        "mariadb, true, true, true",
        "mysql, true, false, false",
        "mysql, false, true, false",
        "mysql, true, true, true",
        "mysql, true, false, true",
    })
    void everyKindOfTraffic(String driver, boolean clientLeg, boolean serverLeg, boolean tls) throws Exception {
        String listen = tls
                ? "tls: { mode: required, certificate: '%s', key: '%s' }"
                        .formatted(certificates.certificate, certificates.key)
                : "";
        String primary = "compression: [%s], tls: { mode: %s }"
                .formatted(serverLeg ? "zlib" : "", tls ? "required" : "disabled");
        try (ProxyUnderTest proxy = ProxyUnderTest.withLegs(server.port(), listen, primary);
                Connection connection = connect(driver, proxy.port(), clientLeg, tls);
                Statement statement = connection.createStatement()) {
            assertThat(Drivers.query(connection, "SHOW SESSION STATUS LIKE 'Compression'"))
                    .isEqualTo(serverLeg ? "ON" : "OFF");
            assertThat(Drivers.query(connection, "SELECT REPEAT('x', 40000000)"))
                    .hasSize(40_000_000);
            assertThat(Drivers.query(connection, "SELECT SUM(seq) FROM shop.seq_1_to_10"))
                    .isEqualTo("55");
            int rows = 0;
            try (var many = statement.executeQuery("SELECT seq, REPEAT(MD5(seq), 3) FROM shop.seq_1_to_50000")) {
                while (many.next()) {
                    rows++;
                    assertThat(many.getInt(1)).isEqualTo(rows);
                }
            }
            assertThat(rows).isEqualTo(50_000);
            statement.execute("CREATE OR REPLACE TABLE shop.big (id INT PRIMARY KEY, v LONGBLOB)");
            byte[] noise = new byte[10_000_000];
            new java.util.Random(7).nextBytes(noise);
            try (var insert = connection.prepareStatement("INSERT INTO shop.big VALUES (1, ?)")) {
                insert.setBytes(1, noise);
                insert.execute();
            }
            try (var back = statement.executeQuery("SELECT v FROM shop.big")) {
                back.next();
                assertThat(back.getBytes(1)).isEqualTo(noise);
            }
            loadFile(statement);
            assertThat(Drivers.query(connection, "SELECT COUNT(*) FROM shop.file"))
                    .isEqualTo("150000");
        }
    }

    /** Loads some 4 MB from the client: scores of packets and frames in one response. */
    private static void loadFile(Statement statement) throws Exception {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 150_000; i++) {
            text.append(i).append("\tsome text of row ").append(i).append('\n');
        }
        Path file = java.nio.file.Files.writeString(folder.resolve("rows.txt"), text);
        statement.execute("CREATE OR REPLACE TABLE shop.file (id INT, v VARCHAR(100))");
        statement.execute("LOAD DATA LOCAL INFILE '" + file + "' INTO TABLE shop.file");
    }

    private static Connection connect(String driver, int port, boolean compress, boolean tls) throws Exception {
        return driver.equals("mariadb")
                ? Drivers.mariaDb(
                        port,
                        "allowLocalInfile=true&useCompression=" + compress + "&sslMode=" + (tls ? "trust" : "disable"))
                : Drivers.mysql(
                        port,
                        "allowLoadLocalInfile=true&useCompression=" + compress + "&sslMode="
                                + (tls ? "REQUIRED" : "DISABLED"));
    }
}
