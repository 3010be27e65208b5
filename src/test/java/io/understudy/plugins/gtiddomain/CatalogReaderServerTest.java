package io.understudy.plugins.gtiddomain;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.embedded.EmbeddedServer;
import io.understudy.embedded.ServerOptions;
import java.sql.Connection;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A data dictionary with more objects than the limit. An unread object may write any table, so no table may be handed
 * over.
 */
@Timeout(120)
class CatalogReaderServerTest {
    private static final List<String> TABLES = List.of("s.a", "s.b", "s.c");

    private static EmbeddedServer server;

    @BeforeAll
    static void start() throws Exception {
        server = EmbeddedServer.start(ServerOptions.of(1));
        server.execute("CREATE DATABASE s");
        for (String table : TABLES) {
            server.execute("CREATE TABLE " + table + " (id INT PRIMARY KEY)");
        }
        for (String procedure : List.of("p1", "p2", "p3", "p4")) {
            server.execute("CREATE PROCEDURE s." + procedure + "() SELECT 1");
        }
        server.execute("DROP DATABASE IF EXISTS test");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static Catalog read(int maxRows) throws Exception {
        try (Connection connection = server.connect()) {
            return CatalogReader.read(connection, maxRows);
        }
    }

    private static void staysInTheDefaultDomain(Catalog catalog) {
        Dictionary dictionary = new Dictionary(() -> 0, 0);
        dictionary.learned(catalog, dictionary.changes());
        assertThat(catalog.cut()).isTrue();
        assertThat(TABLES).noneMatch(dictionary::mayLeaveDefault).noneMatch(dictionary::mightLeaveDefault);
        assertThat(dictionary.mayWrite(List.of("abs"), "s"))
                .as("a routine that was not read may have the name")
                .isTrue();
    }

    @Test
    void aDictionaryWithTooManyTablesKeepsTheDefaultDomain() throws Exception {
        staysInTheDefaultDomain(read(2));
    }

    @Test
    void aDictionaryWithTooManyRoutinesKeepsTheDefaultDomain() throws Exception {
        staysInTheDefaultDomain(read(3));
    }

    @Test
    void aDictionaryAtTheLimitIsRead() throws Exception {
        Catalog catalog = read(4);

        assertThat(catalog.cut()).isFalse();
        assertThat(TABLES).allMatch(catalog::movable);
    }
}
