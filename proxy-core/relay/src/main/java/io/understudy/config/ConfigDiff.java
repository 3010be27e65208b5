package io.understudy.config;

import io.understudy.config.bind.RecordShape;
import io.understudy.config.bind.Shape;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The differences between two configurations, and which of them take effect without a restart.
 *
 * @param changes in the order of the file's keys
 */
public record ConfigDiff(List<Change> changes) {

    private static final String HIDDEN = "***";

    private static final Pattern LIVE = Pattern.compile("(limits|log|metrics|pages|switchover|failover|plugins)(\\..*)?"
            + "|listen\\.maxConnections|listen\\.tls\\.(certificate|key|clientCa|requireClientCertificate)"
            + "|peers(\\[.*)?|primary\\.(address|candidates)|primary\\.monitor\\..*|standbys\\[\\d+]\\.(user|password)"
            + "|primary\\.tls\\.(ca|certificate|key)"
            + "|admin\\.(token|hosts)|admin\\.tls\\.(certificate|key)");

    /** With one of these its whole section waits: an account or certificate for another server, or another mode. */
    private static final Pattern WHOLE = Pattern.compile("primary\\.tls\\.mode|standbys\\[\\d+]\\.(name|address)");

    /**
     * One value that differs.
     *
     * @param path the key path, for instance {@code listen.tls.mode} or {@code plugins.mirror}
     * @param from the old value as shown to people; never a secret
     * @param to the new value, likewise
     * @param live whether it takes effect at once
     * @param undone whether the process had the new value all the time: the old one waited for a restart
     */
    public record Change(String path, String from, String to, boolean live, boolean undone) {
        public Change(String path, String from, String to, boolean live) {
            this(path, from, to, live, false);
        }

        /** Returns the change as one that takes effect at once, or as one that needs a restart. */
        Change withLive(boolean now) {
            return new Change(path, from, to, now, undone);
        }

        private Change asUndone() {
            return new Change(path, from, to, true, true);
        }

        /** Returns one sentence that says what changed and when it takes effect. */
        public String sentence() {
            if (undone) {
                return path + " is " + to + " again, as it was all the time: it waits for no restart any more";
            }
            // Both sides of a changed secret are shown as the same text.
            String what = from.equals(to) ? path + " changed" : path + " changed from " + from + " to " + to;
            return what + (live ? ": takes effect now" : ": takes effect after a restart");
        }

        @Override
        public String toString() {
            return sentence();
        }
    }

    public ConfigDiff {
        changes = List.copyOf(changes);
    }

    /** Compares by value; positions, comments and the order of keys do not count. */
    public static ConfigDiff between(LoadedConfig before, LoadedConfig after) {
        List<Change> found = compare(before, after);
        Set<String> whole = found.stream()
                .map(Change::path)
                .filter(path -> WHOLE.matcher(path).matches())
                .map(ConfigDiff::section)
                .collect(Collectors.toSet());
        found.replaceAll(change -> whole.contains(section(change.path())) ? change.withLive(false) : change);
        return new ConfigDiff(found);
    }

    /**
     * Compares with the last configuration. What cannot change since the process began cannot now; what waited for
     * something that is undone takes effect.
     *
     * @param started with which the process began
     */
    public static ConfigDiff between(LoadedConfig before, LoadedConfig after, LoadedConfig started) {
        ConfigDiff since = between(started, after);
        Set<String> waits = paths(since.afterRestart());
        Set<String> waited = paths(between(started, before).afterRestart());
        List<Change> found = compare(before, after);
        Set<String> live = paths(since.live());
        found.replaceAll(change -> change.withLive(
                live.contains(change.path()) || waits.stream().noneMatch(path -> isWithin(change.path(), path))));
        Set<String> differ = paths(since.changes());
        found.replaceAll(change ->
                waited.contains(change.path()) && !differ.contains(change.path()) ? change.asUndone() : change);
        waited.removeAll(paths(found));
        since.live().stream().filter(change -> waited.contains(change.path())).forEach(found::add);
        return new ConfigDiff(found);
    }

    private static Set<String> paths(List<Change> changes) {
        return changes.stream().map(Change::path).collect(Collectors.toCollection(HashSet::new));
    }

    private static List<Change> compare(LoadedConfig before, LoadedConfig after) {
        Comparison changes = new Comparison(before.fromOutside(), after.fromOutside());
        for (RecordShape.Key key : RecordShape.of(UnderstudyConfig.class).keys()) {
            if (key.name().equals("plugins")) {
                Set<String> ids = new TreeSet<>(before.plugins().keySet());
                ids.addAll(after.plugins().keySet());
                for (String id : ids) {
                    plugin(before.plugins().get(id), after.plugins().get(id), "plugins." + id, changes);
                }
            } else {
                compare(key.shape(), key.read(before.config()), key.read(after.config()), key.name(), changes);
            }
        }
        return changes.found;
    }

    private static String section(String path) {
        return path.substring(0, path.lastIndexOf('.') + 1);
    }

    /** Returns the changes that take effect at once. */
    public List<Change> live() {
        return changes.stream().filter(Change::live).toList();
    }

    /** Returns the changes that need a restart. */
    public List<Change> afterRestart() {
        return changes.stream().filter(change -> !change.live()).toList();
    }

    /** Returns the changes of files by which servers are verified and the proxy proves itself to them. */
    public List<Change> serverFiles() {
        return live().stream()
                .filter(change -> change.path().startsWith("primary.tls."))
                .toList();
    }

    private static void plugin(@Nullable Record before, @Nullable Record after, String path, Comparison changes) {
        if (before == null || after == null) {
            changes.found.add(new Change(path, before == null ? "off" : "on", after == null ? "off" : "on", true));
        } else {
            compare(RecordShape.of(before.getClass()), before, after, path, changes);
        }
    }

    private static void compare(
            Shape shape, @Nullable Object before, @Nullable Object after, String path, Comparison changes) {
        if (Objects.equals(before, after)) {
            return;
        }
        if (before != null && after != null && shape instanceof RecordShape record) {
            for (RecordShape.Key key : record.keys()) {
                compare(key.shape(), key.read(before), key.read(after), path + "." + key.name(), changes);
            }
        } else if (shape instanceof Shape.ListOf list
                && list.item() instanceof RecordShape item
                && before instanceof List<?> old
                && after instanceof List<?> fresh) {
            if (old.size() != fresh.size()) {
                differ(shape, before, after, path, changes);
                sameNames(item, old, fresh, path, changes);
                return;
            }
            for (int i = 0; i < old.size(); i++) {
                compare(item, old.get(i), fresh.get(i), path + "[" + i + "]", changes);
            }
        } else {
            differ(shape, before, after, path, changes);
        }
    }

    private static void differ(
            Shape shape, @Nullable Object before, @Nullable Object after, String path, Comparison changes) {
        changes.add(
                show(shape, before, changes.outsideBefore, path), show(shape, after, changes.outsideAfter, path), path);
    }

    /** The list waits for a restart, and the new password of one of its standbys does not. */
    private static void sameNames(RecordShape item, List<?> old, List<?> fresh, String path, Comparison changes) {
        for (int i = 0; i < fresh.size(); i++) {
            if (fresh.get(i) instanceof StandbyConfig after) {
                for (Object before : old) {
                    if (before instanceof StandbyConfig standby
                            && standby.name().equals(after.name())) {
                        compare(item, before, after, path + "[" + i + "]", changes);
                    }
                }
            }
        }
    }

    private static String show(Shape shape, @Nullable Object value, Set<String> outside, String path) {
        if (value == null) {
            return "nothing";
        }
        boolean hidden = !shape.showsKind() && outside.stream().anyMatch(each -> isWithin(each, path));
        return hidden ? HIDDEN : shape.show(value);
    }

    /** Returns whether a path of the file is the outer one, or lies below it. */
    public static boolean isWithin(String path, String outer) {
        return path.equals(outer) || path.startsWith(outer + ".") || path.startsWith(outer + "[");
    }

    /** The differences found so far, and the values of either side that must not be shown. */
    private record Comparison(List<Change> found, Set<String> outsideBefore, Set<String> outsideAfter) {
        Comparison(Set<String> outsideBefore, Set<String> outsideAfter) {
            this(new ArrayList<>(), outsideBefore, outsideAfter);
        }

        void add(String from, String to, String path) {
            found.add(new Change(path, from, to, LIVE.matcher(path).matches()));
        }
    }
}
