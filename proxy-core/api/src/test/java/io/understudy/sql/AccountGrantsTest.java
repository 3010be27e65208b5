package io.understudy.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class AccountGrantsTest {
    private static List<String> beyond(String... lines) {
        return new AccountGrants(List.of(lines))
                .beyondReading().stream()
                        .flatMap(one -> one.privileges().stream())
                        .toList();
    }

    private static String revoke(String line) {
        return new AccountGrants(List.of(line)).beyondReading().get(0).revoke();
    }

    @Test
    void theMirrorNeedsReadPrivilegesOnly() {
        assertThat(beyond(
                        "GRANT USAGE ON *.* TO `m`@`%` IDENTIFIED BY PASSWORD '*0'",
                        "GRANT REPLICA MONITOR, BINLOG MONITOR, PROCESS ON *.* TO `m`@`%`",
                        "GRANT SELECT, SHOW VIEW ON `shop`.* TO `m`@`%`",
                        "GRANT SELECT (id, note), SHOW VIEW ON `shop`.`orders` TO `m`@`%`"))
                .isEmpty();
    }

    @Test
    void furtherPrivilegesAreReported() {
        assertThat(beyond("GRANT SELECT, INSERT (a, b), EXECUTE ON `shop`.* TO `m`@`%`"))
                .containsExactly("EXECUTE", "INSERT (a, b)");
        assertThat(beyond("GRANT ALL PRIVILEGES ON *.* TO `m`@`%` WITH GRANT OPTION"))
                .containsExactly("ALL PRIVILEGES", "GRANT OPTION");
        assertThat(beyond("GRANT `writer`@`%` TO `m`@`%`")).containsExactly("`writer`@`%`");
        assertThat(beyond("GRANT FILE ON *.* TO `m`@`%`")).containsExactly("FILE");
    }

    /** All of these were run on MariaDB 11.4. */
    @Test
    void theProposedRevokeIsValid() {
        assertThat(revoke("GRANT SELECT, INSERT, DELETE HISTORY ON `test\\_%`.* TO PUBLIC"))
                .isEqualTo("REVOKE DELETE HISTORY, INSERT ON `test\\_%`.* FROM PUBLIC");
        assertThat(revoke("GRANT ALL PRIVILEGES ON `shop`.* TO `m`@`%` WITH GRANT OPTION"))
                .isEqualTo(
                        "REVOKE ALL PRIVILEGES ON `shop`.* FROM `m`@`%`; REVOKE GRANT OPTION ON `shop`.* FROM `m`@`%`");
        assertThat(revoke("GRANT INSERT ON *.* TO `m`@`%` IDENTIFIED BY PASSWORD '*0' WITH GRANT OPTION"))
                .isEqualTo("REVOKE GRANT OPTION, INSERT ON *.* FROM `m`@`%`");
        assertThat(revoke("GRANT `writer` TO `m`@`%`")).isEqualTo("REVOKE `writer` FROM `m`@`%`");
    }

    @Test
    void anyGrantThatCoversTheSchemaAllowsReadingIt() {
        AccountGrants grants = new AccountGrants(List.of(
                "GRANT USAGE ON *.* TO `m`@`%`",
                "GRANT SELECT ON `shop\\_%`.* TO `m`@`%`",
                "GRANT ALL PRIVILEGES ON `depot`.* TO `r`",
                "GRANT SELECT ON `logs`.`one` TO `m`@`%`",
                "GRANT INSERT ON `in`.* TO `m`@`%`"));
        assertThat(List.of("shop_1", "shop_", "depot")).allMatch(grants::reads);
        assertThat(List.of("shopx1", "shop", "logs", "in", "mysql")).noneMatch(grants::reads);
        assertThat(new AccountGrants(List.of("GRANT SELECT ON *.* TO `m`@`%`")).reads("any"))
                .isTrue();
    }

    @Test
    void aPrivilegeOnColumnsOrOnAProcedureIsNoneOnTheTable() {
        AccountGrants grants = new AccountGrants(List.of(
                "GRANT SELECT (id, note), INSERT ON `shop`.`orders` TO `m`@`%`",
                "GRANT TRIGGER ON \"shop\".\"it's\" TO \"m\"@\"%\"",
                "GRANT EXECUTE ON PROCEDURE `shop`.`tag` TO `m`@`%`"));
        assertThat(grants.has("INSERT", "shop", "orders")).isTrue();
        assertThat(grants.has("INSERT", "shop", "other")).isFalse();
        assertThat(grants.has("SELECT", "shop", "orders")).isFalse();
        assertThat(grants.has("TRIGGER", "shop", "it's")).isTrue();
        assertThat(grants.has("EXECUTE", "shop", "tag")).isFalse();
    }

    /** In a grant on one table the schema's name is no pattern. */
    @Test
    void aNamedTableHasANamedSchema() {
        AccountGrants grants = new AccountGrants(List.of("GRANT INSERT ON `sh_p`.`orders` TO `m`@`%`"));
        assertThat(grants.has("INSERT", "sh_p", "orders")).isTrue();
        assertThat(grants.has("INSERT", "shop", "orders")).isFalse();
    }

    @Test
    void everythingIsOnAllSchemas() {
        AccountGrants grants = new AccountGrants(List.of(
                "GRANT SUPER, RELOAD ON *.* TO 'it''s'@'%'", "GRANT ALL PRIVILEGES ON `depot`.* TO `it's`@`%`"));
        assertThat(grants.hasAny("RELOAD")).isTrue();
        assertThat(grants.has("SUPER", "any", "table")).isTrue();
        assertThat(grants.hasAny("INSERT")).isFalse();
        assertThat(grants.has("INSERT", "depot", "any")).isTrue();
        assertThat(grants.beyondReading()).hasSize(2);
    }
}
