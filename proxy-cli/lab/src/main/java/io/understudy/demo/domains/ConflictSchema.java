package io.understudy.demo.domains;

import io.understudy.embedded.EmbeddedPair;
import java.util.List;

/**
 * Tables whose writes depend on each other in every way that a statement does not show: cascading foreign keys, a
 * trigger, a view, a procedure; and accounts, one for each domain.
 */
final class ConflictSchema {
    static final String PASSWORD = "domains";
    static final int DOMAINS = 4;
    static final int FIRST_DOMAIN = 31;
    static final int PLAIN_TABLES = 6;
    /** A schema that has tables of the same names. */
    static final String OTHER = "dom2";

    private ConflictSchema() {}

    static String user(int domain) {
        return "domain" + (FIRST_DOMAIN + domain);
    }

    static void create(EmbeddedPair pair) {
        pair.primary().execute("CREATE DATABASE dom");
        for (int table = 0; table < PLAIN_TABLES; table++) {
            pair.primary()
                    .execute(
                            "CREATE TABLE dom.c" + table + " (id INT PRIMARY KEY, v BIGINT NOT NULL, KEY (v))",
                            "INSERT INTO dom.c" + table + " SELECT seq, seq FROM dom.seq_1_to_20");
        }
        pair.primary()
                .execute(
                        "CREATE TABLE dom.parent (id INT PRIMARY KEY, v BIGINT NOT NULL)",
                        "CREATE TABLE dom.child (id INT PRIMARY KEY, parent INT, v BIGINT NOT NULL, FOREIGN KEY"
                                + " (parent)"
                                + " REFERENCES dom.parent (id) ON DELETE CASCADE ON UPDATE CASCADE)",
                        "CREATE TABLE dom.src (id INT PRIMARY KEY, v BIGINT NOT NULL)",
                        "CREATE TABLE dom.audit (id INT PRIMARY KEY, n BIGINT NOT NULL)",
                        "CREATE TRIGGER dom.src_audit AFTER UPDATE ON dom.src FOR EACH ROW"
                                + " INSERT INTO audit VALUES (NEW.id, NEW.v) ON DUPLICATE KEY UPDATE n = n * 7 +"
                                + " NEW.v % 1000",
                        "INSERT INTO dom.src SELECT seq, seq FROM dom.seq_1_to_20",
                        "INSERT INTO dom.parent SELECT seq, seq FROM dom.seq_1_to_20",
                        "CREATE VIEW dom.v5 AS SELECT id, v FROM dom.c5",
                        "CREATE TABLE dom.tx0 (id INT PRIMARY KEY, v BIGINT NOT NULL)",
                        "CREATE TABLE dom.tx1 (id INT PRIMARY KEY, v BIGINT NOT NULL)",
                        "INSERT INTO dom.tx0 SELECT seq, seq FROM dom.seq_1_to_20",
                        "INSERT INTO dom.tx1 SELECT seq, seq FROM dom.seq_1_to_20",
                        "CREATE TABLE dom.called (id INT PRIMARY KEY, v BIGINT NOT NULL)",
                        "INSERT INTO dom.called SELECT seq, seq FROM dom.seq_1_to_20",
                        "CREATE PROCEDURE dom.bump(i INT, x BIGINT) MODIFIES SQL DATA"
                                + " UPDATE dom.called SET v = v * 3 + x WHERE id = i");
        hidden(pair);
        for (int domain = 0; domain < DOMAINS; domain++) {
            pair.createAccount(
                    user(domain), PASSWORD, "ALL ON dom.*", "ALL ON " + OTHER + ".*", "BINLOG REPLAY ON *.*");
        }
        pair.createAccount(
                "understudy",
                PASSWORD,
                "REPLICATION SLAVE, REPLICA MONITOR, BINLOG MONITOR, PROCESS, SHOW CREATE ROUTINE ON *.*",
                "SELECT, TRIGGER, SHOW VIEW, EVENT ON dom.*",
                "SELECT, TRIGGER, SHOW VIEW, EVENT ON " + OTHER + ".*");
    }

    /**
     * Objects that functions, sequences, texts of several statements and statements prepared in another schema write.
     */
    private static void hidden(EmbeddedPair pair) {
        pair.primary().execute("CREATE DATABASE " + OTHER);
        for (String table : List.of(OTHER + ".c0", OTHER + ".c1", "dom.multi", "dom.calling", "dom.noted")) {
            pair.primary()
                    .execute(
                            "CREATE TABLE " + table + " (id INT PRIMARY KEY, v BIGINT NOT NULL)",
                            "INSERT INTO " + table + " SELECT seq, seq FROM dom.seq_1_to_20");
        }
        pair.primary()
                .execute(
                        "CREATE SEQUENCE dom.numbers",
                        "CREATE TABLE dom.numbered (id BIGINT PRIMARY KEY, v BIGINT NOT NULL)",
                        "CREATE TABLE dom.c4copy LIKE dom.c4",
                        "CREATE VIEW dom.c4view AS SELECT * FROM dom.c4",
                        "CREATE TABLE dom.c4rows SELECT * FROM dom.c4",
                        "CREATE FUNCTION dom.note(i INT, x BIGINT) RETURNS BIGINT DETERMINISTIC MODIFIES SQL DATA BEGIN"
                                + " UPDATE dom.noted SET v = v * 3 + x WHERE id = i; RETURN x; END");
    }

    /** All tables whose contents are compared. */
    static List<String> tables() {
        return List.of(
                "dom.c0",
                "dom.c1",
                "dom.c2",
                "dom.c3",
                "dom.c4",
                "dom.c5",
                "dom.parent",
                "dom.child",
                "dom.src",
                "dom.audit",
                "dom.tx0",
                "dom.tx1",
                "dom.called",
                "dom.multi",
                "dom.calling",
                "dom.noted",
                "dom.numbered",
                "dom.c4copy",
                "dom.c4rows",
                OTHER + ".c0",
                OTHER + ".c1");
    }
}
