package io.understudy.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.understudy.sql.TableName;
import io.understudy.testkit.FakeExchange;
import java.net.InetAddress;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TermsTest {

    @ParameterizedTest
    @CsvSource({
        "10.0.0.0/8,    10.255.1.2,  true",
        "10.0.0.0/8,    11.0.0.1,    false",
        "10.1.128.0/17, 10.1.129.9,  true",
        "10.1.128.0/17, 10.1.127.9,  false",
        "0.0.0.0/0,     192.0.2.1,   true",
        "192.0.2.7,     192.0.2.7,   true",
        "192.0.2.7,     192.0.2.8,   false",
        "fd00::/9,      fd7f::1,     true",
        "fd00::/9,      fd80::1,     false",
        "::/0,          192.0.2.1,   false",
        "'!10.0.0.0/8', 10.0.0.1,    true"
    })
    void networksCoverTheirAddresses(String net, String address, boolean covered) throws Exception {
        assertThat(ClientNet.parse(net).covers(InetAddress.getByName(address))).isEqualTo(covered);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "!", "example.org", "10.0.0.1/8", "10.0.0.0/33", "1.2.3", "10.0.0.0/-1", "::1/129"})
    void anInvalidNetworkIsRefusedWithItsText(String text) {
        assertThatThrownBy(() -> ClientNet.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'" + text + "'");
    }

    @ParameterizedTest
    @CsvSource({
        "orders,      ,     orders,  shop, true",
        "orders,      shop, orders,  ,     true",
        "ORDERS,      shop, orders,  ,     true",
        "shop.orders, ,     orders,  shop, true",
        "shop.orders, ,     orders,  ,     false",
        "shop.orders, ,     orders,  crm,  false",
        "shop.orders, crm,  orders,  shop, false",
        "shop.*,      shop, items,   ,     true",
        "s?op.o*,     Shop, Orders,  ,     true",
        "o*,          ,     items,   shop, false"
    })
    void tablesAreResolvedWithTheSessionsSchema(
            String glob, String schema, String table, String defaultSchema, boolean covered) {
        assertThat(TableGlob.parse(glob).covers(new TableName(schema, table), defaultSchema))
                .isEqualTo(covered);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "!", ".", ".t", "s.", "!s."})
    void incompleteTableNamesAreRefused(String text) {
        assertThatThrownBy(() -> TableGlob.parse(text)).hasMessageContaining("found '" + text + "'");
    }

    @Test
    void kindsAreTheLabelsOfStatements() {
        assertThat(KindTerm.parse("DDL")).isEqualTo(KindTerm.parse("ddl")).hasToString("ddl");
        assertThat(KindTerm.parse("!CALL")).hasToString("!call");
        assertThat(KindTerm.parse("!call").negated()).isTrue();
        assertThatThrownBy(() -> KindTerm.parse("selekt"))
                .hasMessageContaining("select, show, explain, insert")
                .hasMessageEndingWith("but found 'selekt'");
    }

    @Test
    void printedDigestsAreParsed() {
        String hex = FakeExchange.summarize("SELECT 1").digestHex();
        assertThat(DigestTerm.parse("!" + hex).digest())
                .isEqualTo(FakeExchange.summarize("select 2").digest());
        assertThat(DigestTerm.parse(hex)).hasToString(hex);
        assertThatThrownBy(() -> DigestTerm.parse("12")).hasMessageContaining("16 hexadecimal digits");
    }

    @Test
    void anInvalidExpressionIsRefusedWithItsPlace() {
        assertThatThrownBy(() -> TextPattern.parse("a(b")).hasMessageContaining("near index");
        assertThatThrownBy(() -> TextPattern.parse("!")).hasMessageContaining("expected a regular expression");
    }

    @Test
    void anEmptyListIsRefused() {
        List<NameGlob> none = List.of();
        assertThatThrownBy(() -> new Match(none, List.of(), null, null, null, null, null))
                .hasMessage("""
                        user: an empty list matches nothing; leave the key out to match everything
                        schema: an empty list matches nothing; leave the key out to match everything""");
    }

    @Test
    void everyKeyHasADescription() throws Exception {
        Properties sentences = new Properties();
        try (var in = Match.class.getResourceAsStream("Match.properties")) {
            sentences.load(in);
        }
        assertThat(sentences.stringPropertyNames())
                .containsExactlyInAnyOrder("user", "schema", "client", "table", "kind", "digest", "pattern");
    }

    @ParameterizedTest
    @ValueSource(strings = {"(a+)+\\1b", "(a*)*\\1c", "!(x+x+)+\\1?y", "^insert into (\\w+)+\\1;"})
    void backtrackingExpressionsAreRefused(String regex) {
        assertThatThrownBy(() -> TextPattern.parse(regex))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("backtracks without end");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "^insert into audit_",
                "from .* join .* on .*",
                "select .*,.*,.* from (orders|items)",
                "\\bcount\\s*\\(",
                "(a|b|c)+d",
                "^(select|with) ",
                "in \\( ?\\?( ?, ?\\?)* ?\\)",
                "(\\w+) join \\1",
                "(a+)+$",
                "(x+x+)+y",
                "x*x*x*y"
            })
    void expressionsThatAreSlowAtMostAreNot(String regex) {
        assertThat(TextPattern.parse(regex).toString()).isEqualTo(regex);
    }
}
