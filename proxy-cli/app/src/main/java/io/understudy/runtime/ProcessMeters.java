package io.understudy.runtime;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmHeapPressureMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.netty.util.internal.PlatformDependent;
import io.understudy.logging.EventLog;

/** What the process takes: heap, direct memory, threads, CPU, file descriptors. */
final class ProcessMeters implements AutoCloseable {
    private final JvmGcMetrics collections = new JvmGcMetrics();
    private final JvmHeapPressureMetrics pressure = new JvmHeapPressureMetrics();

    ProcessMeters(MeterRegistry registry) {
        new JvmMemoryMetrics().bindTo(registry);
        new JvmThreadMetrics().bindTo(registry);
        new ProcessorMetrics().bindTo(registry);
        new FileDescriptorMetrics().bindTo(registry);
        new UptimeMetrics().bindTo(registry);
        collections.bindTo(registry);
        pressure.bindTo(registry);
        FunctionCounter.builder("understudy.log.lost.lines", EventLog.class, log -> EventLog.lost())
                .description("Lines of the log that were lost because nobody read the standard error stream")
                .register(registry);
        // Netty's buffers are in no pool of the JVM's.
        Gauge.builder("understudy.direct.memory.bytes", PlatformDependent::usedDirectMemory)
                .description("Memory of buffers outside of the heap, bytes")
                .register(registry);
        Gauge.builder("understudy.direct.memory.limit.bytes", PlatformDependent::maxDirectMemory)
                .description("Most memory that buffers outside of the heap may take, bytes")
                .register(registry);
    }

    /** Ends the notifications about collections. */
    @Override
    public void close() {
        collections.close();
        pressure.close();
    }
}
