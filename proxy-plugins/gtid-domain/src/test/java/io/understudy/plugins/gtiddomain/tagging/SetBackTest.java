package io.understudy.plugins.gtiddomain.tagging;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugin.CommandView;
import io.understudy.plugins.gtiddomain.progress.DomainIndexes;
import io.understudy.protocol.CommandCode;
import io.understudy.testkit.FakeClient;
import io.understudy.testkit.FakeExchange;
import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What is left of a session's domain, and of what was decided about its writes. */
class SetBackTest {
    private static final String TO_10 = "SET SESSION gtid_domain_id=10";

    private static void reload(Fixture fixture, @Nullable String procedure) {
        Policy before = fixture.policy;
        Policy with = fixture.policy(Mode.TAG, Guard.OFF, procedure, Fixture.ddl(10));
        fixture.policy = with;
        assertThat(with).isNotSameAs(before);
    }

    @Test
    void aReloadBetweenTransactionsChangesTheStatementThatSetsBack() {
        Fixture fixture = Fixture.tagging(Guard.OFF);
        reload(fixture, "tools.set_domain");
        FakeClient app = fixture.client("app");
        app.run("SELECT 1");
        reload(fixture, null);
        assertThat(app.run("ALTER TABLE big ADD c INT")).isEqualTo(TO_10);
        assertThat(app.run("SELECT 1")).isEqualTo("SET SESSION gtid_domain_id=0");
    }

    /** The procedure is dropped after the reload that no longer names it: nothing must call it any more. */
    @Test
    void aReloadWithinATransactionChangesTheStatementThatSetsBack() {
        Fixture fixture = Fixture.tagging(Guard.OFF);
        reload(fixture, "tools.set_domain");
        FakeClient app = fixture.client("app");
        app.run("BEGIN");
        reload(fixture, null);
        app.run("SELECT 1");
        app.run("COMMIT");
        assertThat(app.run("ALTER TABLE big ADD c INT")).isEqualTo(TO_10);
        assertThat(app.run("SELECT 1")).isEqualTo("SET SESSION gtid_domain_id=0");
    }

    /** Another plugin refuses the command at the boundary: it is never sent, and the session ends. */
    @Test
    void aWriteThatWasDecidedAboutAndRefusedOwnsNothing() {
        Fixture fixture = Fixture.tagging(Guard.PIN);
        FakeClient app = fixture.client("app");
        app.run("SELECT 1");
        FakeExchange command = FakeExchange.to("DELETE FROM archive").numbered(7);
        app.observer().chooseVariables(command, true);
        app.observer().onClose("refused_by_plugin");

        assertThat(fixture.policy.ownership.inFlight() - fixture.orphans.size())
                .as("writes that nobody will ever release")
                .isZero();
    }

    private static CommandView command(int code) {
        FakeExchange exchange = FakeExchange.to(null).numbered(1_000);
        return (CommandView) Proxy.newProxyInstance(
                CommandView.class.getClassLoader(), new Class<?>[] {CommandView.class}, (proxy, method, args) -> {
                    return switch (method.getName()) {
                        case "code" -> code;
                        case "isStatement" -> false;
                        case "summary" -> null;
                        default -> method.invoke(exchange, args);
                    };
                });
    }

    /** The server takes the domain away before it runs the second write, whose response is not the first one's. */
    @Test
    void aWritePipelinedBehindAResetOwnsItsTableInTheDefaultDomain() {
        Fixture fixture = Fixture.tagging(Guard.PIN);
        FakeClient app = fixture.client("app");
        app.run("SELECT 1");
        app.send("DELETE FROM archive", true);
        assertThat(app.injected()).isEqualTo("SET SESSION gtid_domain_id=11");
        app.observer().onCommand(command(CommandCode.RESET_CONNECTION));
        app.send("DELETE FROM archive", false);
        assertThat(fixture.policy.ownership.ownersOf("shop.archive") & 1 << DomainIndexes.DEFAULT)
                .as("the default domain owns it")
                .isNotZero();
    }

    /** A server with another gtid_domain_id: what is sent behind the reset runs in that one. */
    @Test
    void aWritePipelinedBehindAResetIsInAnyDomainWhereTheServerHasAnother() {
        Fixture fixture = Fixture.tagging(Guard.PIN);
        fixture.accounts.setFreshIndex(DomainIndexes.FOREIGN);
        FakeClient app = fixture.client("app");
        assertThat(app.run("INSERT INTO orders VALUES (1)")).isEqualTo("SET SESSION gtid_domain_id=0");
        app.observer().onCommand(command(CommandCode.RESET_CONNECTION));
        app.send("INSERT INTO items VALUES (1)", false);
        assertThat(app.injected()).isEqualTo("-");
        assertThat(fixture.policy.ownership.ownersOf(
                                fixture.dictionary.catalog().family("shop.items"))
                        & 1 << DomainIndexes.FOREIGN)
                .isNotZero();
    }

    /** Its names are those of the other schema: it is another table. */
    @Test
    void aWritePipelinedBehindAChangeOfSchemaDoesNotFollow() {
        Fixture fixture = Fixture.tagging(Guard.PIN);
        FakeClient app = fixture.client("app");
        app.run("SELECT 1");
        app.send("DELETE FROM archive", true);
        app.observer().onCommand(command(CommandCode.INIT_DB));
        app.send("DELETE FROM archive", false);
        assertThat(app.injected()).isEqualTo("SET SESSION gtid_domain_id=0");
    }

    /** Which tables it writes is not known: none leaves the default domain meanwhile. */
    @Test
    void aWriteBehindAChangeOfSchemaMayWriteAnyTable() {
        Fixture fixture = Fixture.tagging(Guard.PIN);
        FakeClient app = fixture.client("app");
        FakeClient other = fixture.client("app");
        app.run("SELECT 1");
        app.setSchemaInFlight(true);
        FakeExchange write = app.send("DELETE FROM orders", false);
        assertThat(fixture.policy.ownership.ownersOf("shop.orders")).isZero();
        assertThat(other.run("DELETE FROM archive")).isEqualTo("-");
        app.setSchemaInFlight(false);
        app.response(write);
        fixture.caughtUp();
        assertThat(other.run("DELETE FROM archive")).isEqualTo("SET SESSION gtid_domain_id=11");
    }
}
