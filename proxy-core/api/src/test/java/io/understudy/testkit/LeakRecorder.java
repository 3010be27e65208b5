package io.understudy.testkit;

import io.netty.util.ResourceLeakDetector;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Netty's leak detector with a record of its reports. The module's {@code surefire.argLine} names it, so that it is in
 * place before the first buffer. {@link LeakCheck} fails the test class during which it reported a leak.
 */
public final class LeakRecorder<T> extends ResourceLeakDetector<T> {
    private static final List<String> LEAKS = new CopyOnWriteArrayList<>();

    public LeakRecorder(Class<?> resourceType, int samplingInterval) {
        super(resourceType, samplingInterval);
    }

    @Override
    protected void reportTracedLeak(String resourceType, String records) {
        LEAKS.add(resourceType + records);
        super.reportTracedLeak(resourceType, records);
    }

    @Override
    protected void reportUntracedLeak(String resourceType) {
        LEAKS.add(resourceType);
        super.reportUntracedLeak(resourceType);
    }

    @Override
    protected boolean needReport() {
        return true;
    }

    /** Returns the leaks reported since the last call. */
    public static List<String> take() {
        List<String> found = List.copyOf(LEAKS);
        LEAKS.removeAll(found);
        return found;
    }
}
