package io.understudy.plugins.gtiddomain.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.sql.AccountGrants;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Grants as MariaDB 10.11 and 11.4 show them. */
class BlindnessTest {
    private static Blindness of(boolean events, String... grants) {
        return new Blindness(new AccountGrants(List.of(grants)), events);
    }

    @Test
    void aTableIsHiddenWithoutThePrivilegeForItsTriggers() {
        Blindness seen = of(
                false,
                "GRANT PROCESS, BINLOG MONITOR, REPLICATION SLAVE ON *.* TO `watch`@`%` IDENTIFIED BY PASSWORD '*x'",
                "GRANT SELECT, TRIGGER, SHOW VIEW ON `shop`.* TO `watch`@`%`",
                "GRANT SELECT ON `other`.* TO `watch`@`%`",
                "GRANT TRIGGER ON `other`.`seen` TO `watch`@`%`",
                "GRANT ALL PRIVILEGES ON `tenant\\_%`.* TO `watch`@`%` WITH GRANT OPTION",
                "GRANT EXECUTE ON PROCEDURE `third`.`p` TO `watch`@`%`");

        assertThat(seen.hides("shop", "orders")).isFalse();
        assertThat(seen.hides("other", "orders")).isTrue();
        assertThat(seen.hides("other", "seen")).isFalse();
        assertThat(seen.hides("tenant_1", "orders")).isFalse();
        assertThat(seen.hides("tenants", "orders")).isTrue();
        assertThat(seen.hides("third", "p")).isTrue();
    }

    /** Only the schema of a grant on all of its tables is a pattern. */
    @Test
    void aGrantOnOneTableNamesItsSchemaLiterally() {
        Blindness seen = of(false, "GRANT TRIGGER ON `a_b`.`t` TO `watch`@`%`");

        assertThat(seen.hides("a_b", "t")).isFalse();
        assertThat(seen.hides("axb", "t")).isTrue();
    }

    @Test
    void namesMayBeQuotedAsAnsiWantsThem() {
        Blindness seen = of(false, "GRANT SELECT, TRIGGER ON \"sh\"\"op\".* TO \"watch\"@\"%\"");

        assertThat(seen.hides("sh\"op", "orders")).isFalse();
        assertThat(seen.hides("other", "orders")).isTrue();
    }

    @Test
    void eventsMatterWhereTheServerRunsThem() {
        String[] grants = {"GRANT SELECT, TRIGGER ON *.* TO `watch`@`%`", "GRANT EVENT ON `shop`.* TO `watch`@`%`"};

        assertThat(of(false, grants).hides("other", "orders")).isFalse();
        assertThat(of(true, grants).hides("other", "orders")).isTrue();
        assertThat(of(true, grants).hides("shop", "orders")).isFalse();
    }

    @Test
    void aHiddenTableKeepsItsFamilyInTheDefaultDomain() {
        Catalog.Builder builder = new Catalog.Builder();
        for (String table : List.of("other.a", "shop.b", "shop.c")) {
            builder.table(table, true);
        }
        builder.foreignKey("other.a", "shop.b");
        builder.unseenCode("other", "a");
        Catalog catalog = builder.build();

        assertThat(catalog.movable(catalog.family("shop.b"))).isFalse();
        assertThat(catalog.movable("shop.c")).isTrue();
        assertThat(catalog.unseenSchemas()).containsExactly("other");
    }
}
