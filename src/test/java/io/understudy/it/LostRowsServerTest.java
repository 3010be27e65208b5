package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugin.Outcome;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** As {@link LostStatementServerTest}, where MariaDB's log does not tell the connection: 11.4 with rows. */
class LostRowsServerTest extends LostStatementServerTest {
    /** The texts in the log are those of the statements within. */
    @Test
    void whatATriggerOrAProcedureWroteIsNotUncommitted() throws Exception {
        old.execute(
                "CREATE TABLE shop.audit (v VARCHAR(20))",
                "CREATE TRIGGER shop.first BEFORE INSERT ON shop.t FOR EACH ROW INSERT INTO audit VALUES (NEW.v)",
                "CREATE PROCEDURE shop.p() INSERT INTO audit VALUES ('p')");
        plugin.patience = Duration.ofSeconds(3);
        try (ProxyUnderTest proxy = proxy()) {
            try (Connection one = connect(proxy);
                    Connection other = connect(proxy)) {
                run(one, insert("trigger"));
                run(other, UnansweredPlugin.mark("procedure") + "CALL p()");
            }
            for (String each : List.of("trigger", "procedure")) {
                assertThat(outcome(each)).as(each).isInstanceOf(Outcome.Unknown.class);
            }
        }
        assertThat(old.query("SELECT COUNT(*) FROM shop.audit")).isEqualTo("2");
    }

    @Override
    String format() {
        return "ROW";
    }
}
