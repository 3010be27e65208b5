package io.understudy.sql;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class QuotingTest {
    @Test
    void noBackslashStandsInQuotes() {
        assertThat(Quoting.text("it's")).isEqualTo("'it''s'");
        assertThat(Quoting.text("odd\\")).isEqualTo("_utf8mb4 X'6F64645C'");
        assertThat(Quoting.text("ü\\'")).isEqualTo("_utf8mb4 X'C3BC5C27'");
        assertThat(Quoting.account("it's")).isEqualTo("'it''s'");
        assertThat(Quoting.account("odd\\")).isEqualTo("`odd\\`");
    }

    @Test
    void whatAServerWroteWithAnsiQuotesIsReadLikeTheRest() {
        assertThat(Quoting.backticked("GRANT SELECT ON \"my\"\"sh`op\".* TO \"a\"@\"%\" IDENTIFIED BY PASSWORD '*\"'"))
                .isEqualTo("GRANT SELECT ON `my\"sh``op`.* TO `a`@`%` IDENTIFIED BY PASSWORD '*\"'");
        assertThat(Quoting.backticked("GRANT SELECT ON `a\"b`.* TO `a`@`%`"))
                .isEqualTo("GRANT SELECT ON `a\"b`.* TO `a`@`%`");
    }

    @Test
    void anIdentifierKeepsEverythingButItsOwnQuote() {
        assertThat(Quoting.name("shop", "odd\\ \"`")).isEqualTo("`shop`.`odd\\ \"```");
    }

    @Test
    void theNameOfASchemaIsNoPatternInAGrant() {
        assertThat(Quoting.schemaPattern("my_50%\\")).isEqualTo("`my\\_50\\%\\\\`.*");
    }
}
