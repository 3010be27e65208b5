package io.understudy.command;

import static io.understudy.testkit.Bytes.concat;
import static io.understudy.testkit.Bytes.definition;
import static io.understudy.testkit.Bytes.eof;
import static io.understudy.testkit.Bytes.err;
import static io.understudy.testkit.Bytes.int2;
import static io.understudy.testkit.Bytes.int4;
import static io.understudy.testkit.Bytes.of;
import static io.understudy.testkit.Bytes.ok;
import static io.understudy.testkit.Bytes.progress;
import static io.understudy.testkit.Bytes.shortString;
import static io.understudy.testkit.Bytes.text;

import io.understudy.protocol.Capabilities;
import io.understudy.protocol.CommandCode;
import io.understudy.protocol.ServerStatus;
import io.understudy.testkit.LeakCheck;
import io.understudy.testkit.session.Conversation;
import io.understudy.testkit.session.Scripted;
import io.understudy.testkit.session.Watcher.Seen;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every command with every possible response, in both EOF modes of both products. */
@ExtendWith(LeakCheck.class)
@Tag("long")
class ResponseTableTest {
    private static final int AC = ServerStatus.AUTOCOMMIT;
    private static final int TX = AC | ServerStatus.IN_TRANS;
    private static final int MORE = AC | ServerStatus.MORE_RESULTS_EXISTS;
    private static final int CURSOR = AC | ServerStatus.CURSOR_EXISTS;
    private static final int LAST = AC | ServerStatus.LAST_ROW_SENT;
    private static final long MARIA = (Scripted.CLASSIC & ~Capabilities.LONG_PASSWORD) | Capabilities.MARIADB_PROGRESS;

    /** A product with or without CLIENT_DEPRECATE_EOF. */
    private record Mode(String name, long capabilities) {
        boolean deprecated() {
            return (capabilities & Capabilities.DEPRECATE_EOF) != 0;
        }

        Conversation talk(String what) {
            return new Conversation(name + ": " + what, capabilities);
        }

        Conversation query(String what) {
            return talk(what).command(CommandCode.QUERY, text("SELECT 1"));
        }

        /** Returns the packet that ends rows, or is sent alone. */
        byte[] end(int status) {
            return deprecated() ? ok(0xFE, 0, status, 0) : eof(status);
        }

        /** Adds column definitions and, without CLIENT_DEPRECATE_EOF, the EOF after them. */
        Conversation definitions(Conversation talk, int columns, int status) {
            for (int i = 0; i < columns; i++) {
                talk.server(definition("c" + i));
            }
            return deprecated() ? talk : talk.server(eof(status));
        }

        Conversation header(Conversation talk, int columns, int status) {
            return definitions(talk.server(of(columns)), columns, status);
        }
    }

    private static List<Mode> modes() {
        return List.of(
                new Mode("mysql", Scripted.CLASSIC),
                new Mode("mysql, no EOF", Scripted.CLASSIC | Capabilities.DEPRECATE_EOF | Capabilities.SESSION_TRACK),
                new Mode("mariadb", MARIA),
                new Mode("mariadb, no EOF", MARIA | Capabilities.DEPRECATE_EOF));
    }

    private static Seen done(int code, int status) {
        return new Seen(code, 0, status, 0, 0, -1);
    }

    private static Seen rows(int code, int status, int rows) {
        return new Seen(code, 0, status, 0, rows, -1);
    }

    private static Seen failed(int code, int error) {
        return new Seen(code, error, 0, 0, 0, -1);
    }

    private static byte[] prepared(int columns, int parameters) {
        return concat(of(0), int4(9), int2(columns), int2(parameters), of(0, 0, 0));
    }

    private static byte[] execute(int id) {
        return concat(int4(id), of(0), int4(1));
    }

    static Stream<Conversation> conversations() {
        List<Conversation> all = new ArrayList<>();
        for (Mode mode : modes()) {
            single(mode, all);
            results(mode, all);
            files(mode, all);
            preparedStatements(mode, all);
            dialogues(mode, all);
            if ((mode.capabilities & Capabilities.MARIADB_PROGRESS) != 0) {
                progressReports(mode, all);
            }
            optionalMetadata(mode, all);
        }
        return all.stream();
    }

    private static void single(Mode mode, List<Conversation> all) {
        for (int code : new int[] {
            CommandCode.SLEEP,
            CommandCode.INIT_DB,
            CommandCode.CREATE_DB,
            CommandCode.DROP_DB,
            CommandCode.REFRESH,
            CommandCode.SHUTDOWN,
            CommandCode.CONNECT,
            CommandCode.PROCESS_KILL,
            CommandCode.DEBUG,
            CommandCode.PING,
            CommandCode.TIME,
            CommandCode.DELAYED_INSERT,
            CommandCode.CONNECT_OUT,
            CommandCode.REGISTER_SLAVE,
            CommandCode.SET_OPTION,
            CommandCode.DAEMON,
            CommandCode.RESET_CONNECTION
        }) {
            byte[] body = int2(1);
            String name = CommandCode.name(code);
            all.add(mode.talk(name + " ok").command(code, body).last(ok(3, TX), new Seen(code, 0, TX, 3, 0, -1)));
            all.add(mode.talk(name + " eof").command(code, body).last(mode.end(AC), done(code, AC)));
            all.add(mode.talk(name + " err").command(code, body).last(err(1047, "no"), failed(code, 1047)));
        }
        all.add(mode.talk("statistics")
                .command(CommandCode.STATISTICS)
                .last(text("Uptime: 5"), done(CommandCode.STATISTICS, 0)));
        all.add(mode.talk("stmt_reset")
                .command(CommandCode.STMT_RESET, int4(3))
                .last(ok(0, AC), done(CommandCode.STMT_RESET, AC)));
        all.add(mode.talk("commands without responses")
                .command(CommandCode.STMT_SEND_LONG_DATA, int4(3), int2(0), text("long"))
                .command(CommandCode.STMT_CLOSE, int4(3))
                .command(CommandCode.PING)
                .last(ok(0, AC), done(CommandCode.PING, AC))
                .command(CommandCode.QUIT));
        all.add(mode.talk("unknown commands")
                .command(0x7B, text("??"))
                .server(of(1), of(2, 3), of(0))
                .superseded(done(0x7B, 0))
                .command(CommandCode.PING)
                .last(ok(0, AC), done(CommandCode.PING, AC))
                .command(0x7C)
                .last(err(1047, "Unknown command"), done(0x7C, 0)));
        all.add(mode.talk("fatal error while idle")
                .command(CommandCode.PING)
                .last(ok(0, AC), done(CommandCode.PING, AC))
                .server(err(1927, "killed")));
        Conversation pipeline = mode.talk("pipeline of 300");
        for (int i = 0; i < 300; i++) {
            pipeline.command(CommandCode.PING);
        }
        for (int i = 0; i < 300; i++) {
            pipeline.last(ok(i % 200, AC), new Seen(CommandCode.PING, 0, AC, i % 200, 0, -1));
        }
        LARGE.add(pipeline);
    }

    /** Conversations too long to be cut at every byte. */
    private static final List<Conversation> LARGE = new ArrayList<>();

    private static void results(Mode mode, List<Conversation> all) {
        int q = CommandCode.QUERY;
        for (int code : new int[] {q, CommandCode.PROCESS_INFO}) {
            all.add(mode.talk("ok").command(code, text("x")).last(ok(5, TX), new Seen(code, 0, TX, 5, 0, -1)));
            all.add(mode.talk("err").command(code, text("x")).last(err(1064, "syntax"), failed(code, 1064)));
            all.add(mode.header(mode.talk("rows").command(code, text("x")), 2, AC)
                    .server(concat(shortString("a"), of(0xFB)), concat(of(0xFB), shortString("b")), of(0, 0))
                    .last(mode.end(TX), rows(code, TX, 3)));
        }
        all.add(mode.header(mode.query("no rows"), 1, AC).last(mode.end(AC), rows(q, AC, 0)));
        Conversation many = mode.header(mode.query("rows of many lengths"), 1, AC);
        for (int length = 1; length <= 24; length++) {
            byte[] row = new byte[length];
            row[0] = (byte) (length % 5 == 0 ? 0xFB : length);
            many.server(row);
        }
        all.add(many.server(new byte[0], of(1)).last(mode.end(AC), rows(q, AC, 26)));
        Conversation wide = mode.definitions(mode.query("300 columns").server(of(0xFC, 44, 1)), 300, AC);
        LARGE.add(wide.server(of(0xFB, 0xFB)).last(mode.end(AC), rows(q, AC, 1)));
        all.add(mode.header(mode.query("error in the rows"), 1, AC)
                .server(shortString("a"))
                .last(err(1317, "interrupted"), new Seen(q, 1317, mode.deprecated() ? 0 : AC, 0, 1, -1)));
        all.add(mode.query("error instead of a definition")
                .server(of(2), definition("a"))
                .last(err(1, "x"), failed(q, 1)));
        Conversation several = mode.header(mode.query("several results"), 1, AC)
                .server(shortString("a"))
                .server(mode.end(MORE), ok(2, MORE));
        all.add(mode.header(several, 2, AC)
                .server(concat(shortString("a"), shortString("b")))
                .server(mode.end(MORE))
                .last(ok(4, AC), new Seen(q, 0, AC, 4, 2, -1)));
        all.add(mode.header(mode.query("result, then error"), 1, AC)
                .server(shortString("a"), mode.end(MORE))
                .last(err(1146, "no table"), new Seen(q, 1146, MORE, 0, 1, -1)));
    }

    private static void files(Mode mode, List<Conversation> all) {
        int q = CommandCode.QUERY;
        byte[] request = concat(of(0xFB), text("/tmp/f"));
        all.add(mode.query("file")
                .server(request)
                .data(text("1,2\n"))
                .data(text("\3"))
                .data(of())
                .last(ok(2, AC), new Seen(q, 0, AC, 2, 0, -1)));
        all.add(mode.query("empty file").server(request).data(of()).last(ok(0, AC), done(q, AC)));
        all.add(mode.query("file refused by the server").last(err(3948, "local_infile"), failed(q, 3948)));
        all.add(mode.query("file that fails")
                .server(request)
                .data(text("x"))
                .data(of())
                .last(err(1062, "dup"), failed(q, 1062)));
        all.add(mode.query("file that fails before its end")
                .server(request)
                .data(text("1"))
                .last(err(1062, "dup"), failed(q, 1062))
                .data(text("2"))
                .data(of())
                .command(CommandCode.PING)
                .last(ok(0, AC), done(CommandCode.PING, AC)));
        all.add(mode.query("file, then another result")
                .server(request)
                .data(of())
                .server(ok(1, MORE))
                .last(ok(7, AC), new Seen(q, 0, AC, 7, 0, -1)));
    }

    private static void preparedStatements(Mode mode, List<Conversation> all) {
        int p = CommandCode.STMT_PREPARE;
        int x = CommandCode.STMT_EXECUTE;
        for (int parameters : new int[] {0, 2}) {
            for (int columns : new int[] {0, 3}) {
                Conversation talk =
                        mode.talk("prepare " + parameters + "/" + columns).command(p, text("SELECT ?"));
                List<byte[]> packets = new ArrayList<>(List.of(prepared(columns, parameters)));
                for (int run : new int[] {parameters, columns}) {
                    for (int i = 0; i < run; i++) {
                        packets.add(definition("?"));
                    }
                    if (run > 0 && !mode.deprecated()) {
                        packets.add(eof(AC));
                    }
                }
                byte[] end = packets.remove(packets.size() - 1);
                all.add(talk.server(packets.toArray(new byte[0][]))
                        .last(end, new Seen(p, 0, 0, 0, 0, 9))
                        .command(x, execute(9))
                        .last(ok(1, AC), new Seen(x, 0, AC, 1, 0, -1)));
            }
        }
        all.add(mode.talk("prepare fails").command(p, text("x")).last(err(1064, "x"), failed(p, 1064)));
        byte[] binary = concat(of(0, 0), shortString("a"));
        for (int code : new int[] {x, CommandCode.STMT_BULK_EXECUTE}) {
            all.add(mode.header(mode.talk("binary rows").command(code, execute(9)), 1, AC)
                    .server(binary, binary)
                    .last(mode.end(AC), rows(code, AC, 2)));
        }
        // With a cursor one packet ends both the definitions and the response, in either mode.
        Conversation cursor = mode.talk("cursor")
                .command(p, text("SELECT 1"))
                .last(prepared(0, 0), new Seen(p, 0, 0, 0, 0, 9))
                .command(x, int4(9), of(1), int4(1))
                .server(of(1), definition("a"))
                .last(mode.end(CURSOR), done(x, CURSOR));
        // A cursor inside a procedure sets the same bit, but rows follow, with and without a requested cursor.
        int inside = CURSOR | ServerStatus.MORE_RESULTS_EXISTS;
        for (byte[] body : new byte[][] {execute(9), concat(int4(9), of(1), int4(1))}) {
            all.add(mode.header(mode.talk("procedure with a cursor").command(x, body), 1, inside)
                    .server(binary, mode.end(inside))
                    .last(ok(0, AC), rows(x, AC, 1)));
        }
        // MySQL 9.7 says in the EOF behind OUT parameters that nothing follows; in an OK it says that more does.
        all.add(mode.header(mode.talk("OUT parameters").command(x, execute(9)), 1, MORE | ServerStatus.PS_OUT_PARAMS)
                .server(binary, mode.end(mode.deprecated() ? MORE : AC))
                .last(ok(0, AC), rows(x, AC, 1)));
        all.add(mode.header(mode.query("procedure with a cursor"), 1, CURSOR)
                .server(shortString("a"))
                .last(mode.end(CURSOR), rows(CommandCode.QUERY, CURSOR, 1)));
        for (int i = 0; i < 2; i++) {
            cursor.command(CommandCode.STMT_FETCH, int4(9), int4(2))
                    .server(binary, binary)
                    .last(mode.end(CURSOR), rows(CommandCode.STMT_FETCH, CURSOR, 2));
        }
        all.add(cursor.command(CommandCode.STMT_FETCH, int4(9), int4(2))
                .last(mode.end(LAST), done(CommandCode.STMT_FETCH, LAST))
                .command(CommandCode.STMT_FETCH, int4(9), int4(2))
                .last(err(1421, "no cursor"), failed(CommandCode.STMT_FETCH, 1421)));
        all.add(mode.talk("field list")
                .command(CommandCode.FIELD_LIST, text("t\0"))
                .server(definition("a"), definition("b"))
                .last(mode.end(AC), rows(CommandCode.FIELD_LIST, AC, 2)));
        all.add(mode.talk("field list fails")
                .command(CommandCode.FIELD_LIST, text("t\0"))
                .last(err(1146, "x"), failed(4, 1146)));
    }

    private static void dialogues(Mode mode, List<Conversation> all) {
        int c = CommandCode.CHANGE_USER;
        byte[] body = concat(text("bob\0"), of(0), text("db\0"), int2(45), text("caching_sha2_password\0"));
        all.add(mode.talk("change user").command(c, body).last(ok(0, AC), done(c, AC)));
        all.add(mode.talk("change user refused").command(c, body).last(err(1045, "denied"), failed(c, 1045)));
        all.add(mode.talk("change user with a dialogue")
                .command(c, body)
                .server(concat(of(0xFE), text("caching_sha2_password\0scramble\0")))
                .data(text("hash"))
                .server(of(1, 4))
                .data(of(2))
                .server(concat(of(1), text("PEM")))
                .data(of())
                .server(of(1, 3))
                .last(ok(0, AC), done(c, AC))
                .command(CommandCode.PING)
                .last(ok(0, AC), done(CommandCode.PING, AC)));
        for (int code : new int[] {CommandCode.BINLOG_DUMP, CommandCode.BINLOG_DUMP_GTID}) {
            all.add(mode.talk("dump")
                    .command(code, int4(4))
                    .server(concat(of(0), text("rotate")), concat(of(0, 0xEF, 1), text("event")))
                    .data(concat(of(0xEF), text("acknowledged")))
                    .server(concat(of(0), text("event")))
                    .last(eof(0), done(code, 0)));
            all.add(mode.talk("dump fails")
                    .command(code, int4(4))
                    .server(of(0, 1))
                    .last(err(1236, "purged"), failed(code, 1236)));
        }
    }

    private static void progressReports(Mode mode, List<Conversation> all) {
        int q = CommandCode.QUERY;
        all.add(mode.query("progress").server(progress(), progress()).last(ok(1, AC), new Seen(q, 0, AC, 1, 0, -1)));
        all.add(mode.header(mode.query("progress inside").server(progress()), 1, AC)
                .server(shortString("a"), progress())
                .last(mode.end(AC), rows(q, AC, 1)));
        all.add(mode.talk("progress of a prepare")
                .command(CommandCode.STMT_PREPARE, text("x"))
                .server(progress())
                .last(prepared(0, 0), new Seen(CommandCode.STMT_PREPARE, 0, 0, 0, 0, 9)));
        all.add(mode.talk("progress of one packet")
                .command(CommandCode.INIT_DB, text("x"))
                .server(progress())
                .last(ok(0, AC), done(CommandCode.INIT_DB, AC)));
    }

    private static void optionalMetadata(Mode mode, List<Conversation> all) {
        boolean maria = (mode.capabilities & Capabilities.LONG_PASSWORD) == 0;
        long bit = maria ? Capabilities.MARIADB_CACHE_METADATA : Capabilities.OPTIONAL_RESULTSET_METADATA;
        Mode optional = new Mode(mode.name + ", optional metadata", mode.capabilities | bit);
        int q = CommandCode.QUERY;
        all.add(optional.definitions(optional.query("with").server(of(2, 1)), 2, AC)
                .server(concat(shortString("a"), shortString("b")))
                .last(optional.end(AC), rows(q, AC, 1)));
        all.add(optional.definitions(optional.query("without").server(of(2, 0)), 0, AC)
                .server(concat(shortString("a"), shortString("b")))
                .last(optional.end(AC), rows(q, AC, 1)));
        if (!maria) {
            all.add(optional.talk("prepare without")
                    .command(CommandCode.STMT_PREPARE, text("x"))
                    .last(concat(prepared(2, 2), of(0)), new Seen(CommandCode.STMT_PREPARE, 0, 0, 0, 0, 9)));
        }
    }

    @ParameterizedTest
    @MethodSource("conversations")
    void aResponseEndsAtItsLastPacket(Conversation talk) {
        talk.playWhole();
    }

    @ParameterizedTest
    @MethodSource("conversations")
    void cutsDoNotChangeTheResult(Conversation talk) {
        talk.playCut();
    }

    @Test
    void pipelinesAndWideResults() {
        LARGE.clear();
        conversations();
        LARGE.forEach(Conversation::playWhole);
    }

    /** A value of 16 MB starts with the same byte as the packet that ends rows. */
    @Test
    void rowsOfSixteenMegabytes() {
        byte[] row = concat(of(0xFE), int4(0xFFFFFF), int4(0), new byte[0xFFFFFF]);
        for (Mode mode : modes()) {
            mode.header(mode.query("a huge row"), 1, AC)
                    .server(row, shortString("a"))
                    .last(mode.end(AC), rows(CommandCode.QUERY, AC, 2))
                    .command(CommandCode.PING)
                    .last(ok(0, AC), done(CommandCode.PING, AC))
                    .playWhole();
        }
    }
}
