package io.understudy.config;

import io.understudy.base.Durations;
import io.understudy.config.bind.EnumNames;
import io.understudy.config.bind.Scalars;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
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

    /**
     * One value that differs.
     *
     * @param path the key path, for instance {@code listen.tls.mode} or {@code plugins.mirror}
     * @param from the old value as shown to people; never a secret
     * @param to the new value, likewise
     * @param live whether it takes effect at once
     */
    public record Change(String path, String from, String to, boolean live) {

        /** Returns one sentence that says what changed and when it takes effect. */
        public String sentence() {
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
        Comparison changes = new Comparison(before.fromOutside(), after.fromOutside());
        for (RecordComponent component : UnderstudyConfig.class.getRecordComponents()) {
            if (component.getName().equals("plugins")) {
                Set<String> ids = new TreeSet<>(before.plugins().keySet());
                ids.addAll(after.plugins().keySet());
                for (String id : ids) {
                    plugin(before.plugins().get(id), after.plugins().get(id), "plugins." + id, changes);
                }
            } else {
                compare(
                        read(component, before.config()),
                        read(component, after.config()),
                        component.getName(),
                        changes);
            }
        }
        return new ConfigDiff(changes.found);
    }

    /** Returns whether there is no difference. */
    public boolean isEmpty() {
        return changes.isEmpty();
    }

    /** Returns the changes that take effect at once. */
    public List<Change> live() {
        return changes.stream().filter(Change::live).toList();
    }

    /** Returns the changes that need a restart. */
    public List<Change> afterRestart() {
        return changes.stream().filter(change -> !change.live()).toList();
    }

    /** Returns whether a path, or one below it, differs. */
    public boolean touches(String path) {
        return changes.stream()
                .anyMatch(c -> c.path().equals(path)
                        || c.path().startsWith(path + ".")
                        || c.path().startsWith(path + "["));
    }

    /** Returns the ids of the plugins that were added, removed or reconfigured. */
    public Set<String> plugins() {
        return changes.stream()
                .map(Change::path)
                .filter(path -> path.startsWith("plugins."))
                .map(path -> path.substring("plugins.".length()).split("[.\\[]", 2)[0])
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    private static void plugin(@Nullable Record before, @Nullable Record after, String path, Comparison changes) {
        if (before == null || after == null) {
            changes.found.add(new Change(path, before == null ? "off" : "on", after == null ? "off" : "on", true));
        } else {
            compare(before, after, path, changes);
        }
    }

    private static void compare(@Nullable Object before, @Nullable Object after, String path, Comparison changes) {
        if (Objects.equals(before, after)) {
            return;
        }
        if (before != null
                && after != null
                && isSection(before)
                && isSection(after)
                && before.getClass() == after.getClass()) {
            for (RecordComponent component : before.getClass().getRecordComponents()) {
                compare(read(component, before), read(component, after), path + "." + component.getName(), changes);
            }
        } else if (before instanceof List<?> old
                && after instanceof List<?> fresh
                && old.size() == fresh.size()
                && old.stream().allMatch(ConfigDiff::isSection)) {
            for (int i = 0; i < old.size(); i++) {
                compare(old.get(i), fresh.get(i), path + "[" + i + "]", changes);
            }
        } else {
            changes.add(
                    showsValue(before) && changes.hides(changes.outsideBefore, path) ? HIDDEN : show(before),
                    showsValue(after) && changes.hides(changes.outsideAfter, path) ? HIDDEN : show(after),
                    path);
        }
    }

    /** The differences found so far, and the values of either side that must not be shown. */
    private record Comparison(List<Change> found, Set<String> outsideBefore, Set<String> outsideAfter) {
        Comparison(Set<String> outsideBefore, Set<String> outsideAfter) {
            this(new ArrayList<>(), outsideBefore, outsideAfter);
        }

        boolean hides(Set<String> outside, String path) {
            return outside.stream()
                    .anyMatch(hidden ->
                            hidden.equals(path) || hidden.startsWith(path + ".") || hidden.startsWith(path + "["));
        }

        void add(String from, String to, String path) {
            found.add(new Change(path, from, to, LIVE.matcher(path).matches()));
        }
    }

    /** Returns whether a value is a mapping in the file, as opposed to a value type that happens to be a record. */
    private static boolean isSection(@Nullable Object value) {
        return value instanceof Record && Scalars.parseMethod(value.getClass()) == null;
    }

    /** Whether {@link #show} returns the value itself instead of its kind. */
    private static boolean showsValue(@Nullable Object value) {
        return value != null
                && !isSection(value)
                && !(value instanceof Map)
                && !(value instanceof List<?> list && list.stream().anyMatch(ConfigDiff::isSection));
    }

    private static String show(@Nullable Object value) {
        if (value == null) {
            return "nothing";
        } else if (value instanceof Duration duration) {
            return Durations.format(duration);
        } else if (value instanceof List<?> list) {
            return list.stream().anyMatch(ConfigDiff::isSection)
                    ? list.size() + (list.size() == 1 ? " entry" : " entries")
                    : list.stream().map(ConfigDiff::show).collect(Collectors.joining(", ", "[", "]"));
        } else if (value instanceof Map<?, ?> map) {
            return map.size() + (map.size() == 1 ? " entry" : " entries");
        } else if (value instanceof Enum<?> constant) {
            return EnumNames.canonical(constant);
        }
        return isSection(value) ? "a section" : value.toString();
    }

    private static @Nullable Object read(RecordComponent component, Object record) {
        try {
            component.getAccessor().setAccessible(true);
            return component.getAccessor().invoke(record);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("cannot read " + component, e);
        }
    }
}
