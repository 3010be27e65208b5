package io.understudy.command;

import io.understudy.plugin.SessionSettings;
import io.understudy.sql.SetStatement;
import io.understudy.sql.SqlModes;
import org.jspecify.annotations.Nullable;

/** {@link SessionSettings} as followed from what passes. */
final class SettingsModel implements SessionSettings {
    private int loginCollation;
    private boolean known = true;
    private @Nullable String characterSet;
    private @Nullable String charsetName;
    private @Nullable String timeZone;
    private @Nullable String sqlMode;
    private boolean noBackslashEscapes;
    private boolean temporaryTables;
    private boolean lockedTables;
    private int modes;

    void login(int collation) {
        loginCollation = collation;
        refresh();
    }

    /** Back to what the login left. */
    void reset() {
        known = true;
        characterSet = null;
        charsetName = null;
        timeZone = null;
        sqlMode = null;
        temporaryTables = false;
        lockedTables = false;
        refresh();
    }

    /** A SET statement succeeded. */
    void apply(SetStatement statement) {
        for (SetStatement.Assignment assignment : statement.assignments()) {
            if (assignment.scope() == SetStatement.Scope.SESSION) {
                assign(assignment.name(), assignment.literalValue());
            }
        }
    }

    private void assign(String name, @Nullable String value) {
        switch (name) {
            case "names", "character_set" -> {
                if (value == null) {
                    lost();
                } else {
                    charsetName = value.split("[\\s]", 2)[0];
                    characterSet = (name.equals("names") ? "NAMES " : "CHARACTER SET ") + value;
                }
            }
            case "character_set_client",
                    "character_set_connection",
                    "character_set_results",
                    "collation_connection",
                    "charset",
                    "character_set_database" -> variableCharset(name, value);
            case "time_zone" -> {
                timeZone = value;
                known &= value != null;
            }
            case "sql_mode" -> {
                sqlMode = value;
                known &= value != null;
            }
            default -> {
                // Other settings do not change what a mirrored read means.
            }
        }
        refresh();
    }

    private void variableCharset(String name, @Nullable String value) {
        if (value == null) {
            if (!name.equals("character_set_results")) {
                lost();
            }
            return;
        }
        if (name.equals("character_set_results")) {
            return; // results are thrown away wherever they are mirrored
        }
        if (name.equals("character_set_client")) {
            charsetName = value;
        }
        String before = characterSet;
        characterSet = (before == null ? "" : before + ", ") + "@@session." + name + " = " + value;
        if (characterSet.length() > 256) {
            lost();
        }
    }

    /** The server told of a variable by session tracking. */
    void tracked(String name, String value) {
        switch (name) {
            case "time_zone" -> timeZone = value;
            case "sql_mode" -> sqlMode = value;
            case "character_set_client" -> charsetName = value;
            default -> {
                return;
            }
        }
        refresh();
    }

    void status(boolean noBackslash) {
        if (noBackslashEscapes != noBackslash) {
            noBackslashEscapes = noBackslash;
            refresh();
        }
    }

    void lost() {
        known = false;
    }

    void setTemporaryTables() {
        temporaryTables = true;
    }

    void setLockedTables(boolean locked) {
        lockedTables = locked;
    }

    private void refresh() {
        String mode = sqlMode;
        int bits = SqlModes.of(mode == null ? "" : mode, charset());
        modes = noBackslashEscapes ? bits | SqlModes.NO_BACKSLASH_ESCAPES : bits;
    }

    private String charset() {
        String name = charsetName;
        return name != null ? name : Collations.charset(loginCollation);
    }

    @Override
    public boolean known() {
        return known;
    }

    @Override
    public int loginCollation() {
        return loginCollation;
    }

    @Override
    public @Nullable String characterSet() {
        return characterSet;
    }

    @Override
    public @Nullable String timeZone() {
        return timeZone;
    }

    @Override
    public @Nullable String sqlMode() {
        return sqlMode;
    }

    @Override
    public int sqlModes() {
        return modes;
    }

    @Override
    public boolean temporaryTables() {
        return temporaryTables;
    }

    @Override
    public boolean lockedTables() {
        return lockedTables;
    }
}
