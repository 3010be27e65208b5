package io.understudy.move;

import io.understudy.command.SessionModel;
import io.understudy.command.settings.FollowedState;
import io.understudy.command.settings.SettingsModel;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A session's state from what it has run. What may be unknown is unknown. */
final class FollowedStatements {
    private static final int ONE_BYTE = 255;

    private FollowedStatements() {}

    static CarriedState state(SessionModel model) {
        SettingsModel settings = model.settingsModel();
        FollowedState followed = settings.followed();
        ensureMovable(model);
        if (model.statusInDoubt()) { // the old server has gone while it was asked
            throw new NotMoved("transaction", "an error may have left its transaction open");
        }
        for (String reason : followed.unknown()) {
            throw new NotMoved(reason, "not all of its state is followed: " + followed.unknown());
        }
        if (!followed.insertIdKnown()) {
            throw new NotMoved("last_insert_id", "whether its last insert changed LAST_INSERT_ID() is not known");
        }
        List<String> unknown = settings.unknownForWrites();
        unknown.addAll(followed.unknownVariables());
        if (model.schemaUnread()) {
            unknown.add("schema");
        }
        if (settings.loginCollation() > ONE_BYTE && settings.characterSet() == null) {
            unknown.add("collation"); // of COM_CHANGE_USER; a login has one byte for it
        }
        if (!settings.known() || !unknown.isEmpty()) {
            throw NotMoved.unknownState("the values of variables are not known: " + unknown);
        }
        List<String> statements = statements(settings);
        addNextTransaction(model, statements);
        if (!statements.stream().allMatch(sql -> sql.chars().allMatch(c -> c < 0x80))) {
            throw NotMoved.unknownState("a variable has a value that is not ASCII");
        }
        return new CarriedState(statements, null, model.hasQueryAttributes());
    }

    /** Throws a {@link NotMoved} if what is followed has something that no other server can have. */
    static void ensureMovable(SessionModel model) {
        if (model.settings().temporaryTables()) {
            throw new NotMoved("temporary_table", "it may have a temporary table");
        }
        String texts = model.prepared().whyTextsNotMoved();
        if (texts != null) {
            throw new NotMoved("text_prepared", texts);
        }
        FollowedState followed = model.settingsModel().followed();
        if (followed.serviceLocks()) {
            throw new NotMoved("user_lock", "it may have locks of the locking service (service_get_…_locks)");
        }
        // Whether a statement behind SET TRANSACTION has used up the characteristics is not known.
        if (followed.nextTransaction() != null && followed.nextTransactionSetBy() != model.lastAnswered()) {
            throw new NotMoved("next_transaction", "it has set the characteristics of its next transaction");
        }
    }

    private static List<String> statements(SettingsModel settings) {
        List<String> statements = new ArrayList<>();
        statements.add("SET sql_mode = ''"); // a value that the old server has rounded is rounded again
        add(statements, "SET ", settings.reading());
        add(statements, "SET ", settings.writing());
        add(statements, "SET ", settings.followed().assignments());
        settings.followed().extensions().forEach(each -> add(statements, "SET ", each));
        add(statements, "SET SESSION TRANSACTION ", settings.transaction());
        add(statements, "SET time_zone = ", settings.timeZone());
        String mode = settings.mode().expression();
        add(statements, "SET sql_mode = ", mode == null ? "@@global.sql_mode" : mode);
        add(
                statements,
                "SET last_insert_id = ",
                Long.toUnsignedString(settings.followed().insertId()));
        add(statements, "SET autocommit = ", settings.autocommit() ? "1" : "0");
        add(statements, "SET ", settings.characterSet());
        add(statements, "SET character_set_results = ", settings.followed().results());
        return statements;
    }

    private static void add(List<String> statements, String begin, @Nullable String rest) {
        if (rest != null) {
            statements.add(begin + rest);
        }
    }

    /** Returns whether no user variable has been set, as far as the texts tell. */
    static boolean noUserVariables(SessionModel model) {
        return allRead(model) && !model.settingsModel().followed().unknown().contains(FollowedState.USER_VARIABLES);
    }

    /** Returns whether all texts that have run are known: no procedure, and none that was not read. */
    static boolean allRead(SessionModel model) {
        Set<String> unknown = model.settingsModel().followed().unknown();
        return model.settings().known()
                && !unknown.contains(FollowedState.PROCEDURE)
                && !unknown.contains(FollowedState.UNREAD);
    }

    static void addNextTransaction(SessionModel model, List<String> statements) {
        add(statements, "SET TRANSACTION ", model.settingsModel().followed().nextTransaction());
    }
}
