package io.understudy.command;

import static io.understudy.testkit.Bytes.concat;
import static io.understudy.testkit.Bytes.eof;
import static io.understudy.testkit.Bytes.err;
import static io.understudy.testkit.Bytes.int2;
import static io.understudy.testkit.Bytes.int4;
import static io.understudy.testkit.Bytes.of;
import static io.understudy.testkit.Bytes.ok;
import static io.understudy.testkit.Bytes.packet;
import static io.understudy.testkit.Bytes.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugin.SessionSettings;
import io.understudy.protocol.CommandCode;
import io.understudy.protocol.ServerStatus;
import io.understudy.testkit.Bytes;
import io.understudy.testkit.LeakCheck;
import io.understudy.testkit.Memory;
import io.understudy.testkit.session.Scripted;
import io.understudy.testkit.session.Watcher;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * COM_CHANGE_USER sets user, schema and character set. Its collation has two bytes in the manuals of both products; the
 * login's has one. MySQL 9.7 accepted 289 for {@code utf8mb4_cs_0900_as_cs}, and treats the login's second byte as
 * filler, as MariaDB 10.11 does.
 */
@ExtendWith(LeakCheck.class)
class ChangeUserTest {
    private final Watcher watcher = new Watcher(Watcher.ALL);
    private final Scripted scripted = new Scripted(Memory.direct(), watcher).loggedIn(Scripted.CLASSIC);

    private SessionSettings changeUser(byte[] behindSchema, byte[] response) {
        byte[] body = concat(text("other\0"), of(0), text("shop\0"), behindSchema);
        scripted.client(Bytes.command(CommandCode.CHANGE_USER, body));
        scripted.server(packet(1, response));
        scripted.client.take();
        scripted.server.take();
        return scripted.model().settings();
    }

    @Test
    void setsTheCollation() {
        byte[] done = ok(0, ServerStatus.AUTOCOMMIT);
        byte[] method = text("mysql_native_password\0");
        SessionSettings settings = changeUser(concat(int2(8), method), done);
        assertThat(settings.loginCollation()).isEqualTo(8);
        assertThat(scripted.model().user()).isEqualTo("other");
        assertThat(changeUser(concat(int2(289), method), done).loginCollation()).isEqualTo(289);
        scripted.finish();
    }

    /** In latin1 the bytes of the UTF-8 name é are the name Ã©. */
    @Test
    void aSchemaNamedInAnotherCharacterSetIsNotKnown() {
        byte[] done = ok(0, ServerStatus.AUTOCOMMIT);
        changeUser(int2(45), done);
        initDb("é", done);
        assertThat(scripted.model().schema()).isEqualTo("é");
        changeUser(int2(8), done);
        assertThat(scripted.model().schema()).isEqualTo("shop");
        initDb("é", done);
        assertThat(scripted.model().schema()).isNull();
        initDb("depot", done);
        assertThat(scripted.model().schema()).isEqualTo("depot");
        scripted.finish();
    }

    private void initDb(String schema, byte[] response) {
        scripted.client(Bytes.command(CommandCode.INIT_DB, text(schema)));
        scripted.server(packet(1, response));
        scripted.client.take();
        scripted.server.take();
    }

    /** MariaDB resets the session before it authenticates, and goes on with it after the error. */
    @Test
    void aRefusedCommandResetsTheSession() {
        scripted.client(Bytes.command(CommandCode.STMT_PREPARE, text("SELECT ?")));
        byte[] column = concat(text("\3def"), of(0, 0, 0, 1, '?', 0, 12, 63, 0, 0, 0, 0, 0, 6, 0x80, 0, 0, 0, 0));
        scripted.server(concat(
                packet(1, concat(of(0), int4(7), int2(0), int2(1), of(0, 0, 0))),
                packet(2, column),
                packet(3, eof(ServerStatus.AUTOCOMMIT))));
        scripted.client(Bytes.command(CommandCode.STMT_SEND_LONG_DATA, concat(int4(7), int2(0), text("long"))));
        scripted.client(Bytes.command(CommandCode.QUERY, text("BEGIN")));
        scripted.server(packet(1, ok(0, ServerStatus.AUTOCOMMIT | ServerStatus.IN_TRANS)));
        assertThat(scripted.model().atBoundary()).isFalse();
        changeUser(int2(8), err(1045, "Access denied"));
        assertThat(scripted.model().atBoundary()).isTrue();
        assertThat(watcher.resets).isEqualTo(1);
        assertThat(scripted.model().settings().known()).isFalse();
        scripted.finish();
    }

    @Test
    void aRefusedCommandKeepsUserAndCollation() {
        byte[] refusal = err(1045, "Access denied");
        assertThat(changeUser(int2(8), refusal).loginCollation()).isEqualTo(45);
        assertThat(scripted.model().user()).isEqualTo("app");
        assertThat(changeUser(of(), ok(0, ServerStatus.AUTOCOMMIT)).loginCollation())
                .isEqualTo(45);
        scripted.finish();
    }
}
