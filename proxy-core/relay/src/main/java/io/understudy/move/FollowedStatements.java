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

    static Found state(SessionModel model) {
        SettingsModel settings = model.settingsModel();
        FollowedState followed = settings.followed();
        if (settings.temporaryTables()) {
            return new Found.Closed("temporary_table", "it may have a temporary table");
        }
        String texts = model.textsNotMoved();
        if (texts != null) {
            return new Found.Closed("text_prepared", texts);
        }
        for (String reason : followed.unknown()) {
            return new Found.Closed(reason, "not all of its state is followed: " + followed.unknown());
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
            return new Found.Closed("unknown_state", "the values of variables are not known: " + unknown);
        }
        if (!nextTransactionKnown(model)) {
            return new Found.Closed("next_transaction", "it has set the characteristics of its next transaction");
        }
        List<String> statements = statements(settings);
        addNextTransaction(model, statements);
        boolean ascii = statements.stream().allMatch(sql -> sql.chars().allMatch(c -> c < 0x80));
        return ascii
                ? new CarriedState(statements, null, model.hasQueryAttributes())
                : new Found.Closed("unknown_state", "a variable has a value that is not ASCII");
    }

    private static List<String> statements(SettingsModel settings) {
        List<String> statements = new ArrayList<>();
        statements.add("SET sql_mode = 'STRICT_ALL_TABLES'"); // what the new server does not take is an error
        add(statements, "SET ", settings.reading());
        add(statements, "SET ", settings.writing());
        add(statements, "SET ", settings.followed().assignments());
        settings.followed().extensions().forEach(each -> add(statements, "SET ", each));
        add(statements, "SET SESSION TRANSACTION ", settings.transaction());
        add(statements, "SET time_zone = ", settings.timeZone());
        String mode = settings.sqlMode();
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

    /**
     * Returns false if a SET TRANSACTION is not the session's last statement: whether one behind it has used up the
     * characteristics is not known.
     */
    static boolean nextTransactionKnown(SessionModel model) {
        FollowedState followed = model.settingsModel().followed();
        return followed.nextTransaction() == null || followed.nextTransactionSetBy() == model.lastAnswered();
    }

    static void addNextTransaction(SessionModel model, List<String> statements) {
        add(statements, "SET TRANSACTION ", model.settingsModel().followed().nextTransaction());
    }
}
