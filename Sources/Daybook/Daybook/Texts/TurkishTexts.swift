import CivilTime
import Journals
import Tasks

/// The Turkish texts: every text of Daybook, as an application would translate them.
public struct TurkishTexts: DaybookTexts {
    /// Creates the texts.
    public init() {}

    /// The text for a view without tasks.
    public func emptyView(_ view: TaskView) -> String {
        switch view {
        case .inbox: "Gelen kutusunda görev yok. Fikirlerini tarih vermeden buraya yaz."
        case .today: "Bugün için görev yok. Gelen kutusundan sürükle ya da yeni bir görev yaz."
        case .upcoming: "Yaklaşan görev yok. Yarın ve sonrası için görev planla."
        case .past: "Geçmiş günlerde görev yok."
        }
    }

    /// Returns "Yarın", "12 Şub", or "12 Şub 2028" in another year.
    public func heading(of day: Day, today: Day) -> String {
        if day == today.advanced(by: 1) { return "Yarın" }
        let months = ["Oca", "Şub", "Mar", "Nis", "May", "Haz", "Tem", "Ağu", "Eyl", "Eki", "Kas", "Ara"]
        let name = "\(day.day) \(months[day.month - 1])"
        return day.year == today.year ? name : "\(name) \(day.year)"
    }

    /// When something is due, as seen from a day.
    public func relative(_ due: TaskDue, on today: Day, in zone: Zone) -> String {
        let name = relative(due.day(in: zone), today: today)
        return due.clockText(in: zone).map { "\(name) \($0)" } ?? name
    }

    /// Returns "bugün", "yarın", "dün", "Cum" for the next six days, "3 gün önce", else the day as a heading has it.
    public func relative(_ day: Day, today: Day) -> String {
        let weekdays = ["Pzt", "Sal", "Çar", "Per", "Cum", "Cmt", "Paz"]
        return switch today.distance(to: day) {
        case 0: "bugün"
        case 1: "yarın"
        case -1: "dün"
        case 2...6: weekdays[day.weekday.rawValue - 1]
        case ..<(-1): "\(day.distance(to: today)) gün önce"
        default: heading(of: day, today: today)
        }
    }

    /// The question before a list is deleted with all of its tasks.
    public func deletionQuestion(of list: CustomList, tasks: Int) -> String {
        tasks == 0
            ? "'\(list.name)' silinsin mi? İçinde görev yok."
            : "'\(list.name)', içindeki \(tasks) görevle birlikte silinsin mi?"
    }

    /// What is spoken when a task was created by voice.
    public func spokenCreation(of task: TaskItem, today: Day, in zone: Zone) -> String {
        if let due = task.due(in: zone) {
            return "'\(task.text)' eklendi, son tarih: \(relative(due, on: today, in: zone))."
        }
        guard let day = task.scheduledDate else { return "'\(task.text)' eklendi." }
        return "'\(task.text)' eklendi: \(relative(day, today: today))."
    }

    /// What is spoken when a task was completed by voice.
    public func spokenCompletion(of task: TaskItem) -> String { "'\(task.text)' tamamlandı." }

    /// One sentence that compares this month with the last.
    public func summary(of statistics: CompletionStatistics) -> String {
        guard statistics.hasHistory else { return "Henüz veri yok" }
        switch statistics.trend {
        case .noData: return "Geçen aydan veri yok"
        case .up: return "Bu ay \(statistics.month) görev, geçen aydan (\(statistics.lastMonth)) fazla"
        case .down: return "Bu ay \(statistics.month) görev, geçen aydan (\(statistics.lastMonth)) az"
        case .same: return "Bu ay \(statistics.month) görev, geçen ay kadar"
        }
    }

    /// What the notification of a task without notes says.
    public func reminderBody(of task: TaskItem) -> String { "Bu görevi tamamla" }

    /// What an undo notice says was done.
    public func undoNotice(for action: UndoNotice.Action) -> String {
        switch action {
        case .changedState(let state): "Durum: \(name(of: state))"
        case .scheduled(let view):
            switch view {
            case .inbox: "Gelen kutusuna taşındı"
            case .today: "Bugüne taşındı"
            case .upcoming: "Yaklaşanlara taşındı"
            case .past: "Geçmişe taşındı"
            }
        case .placed(let region): "Taşındı: \(heading(of: region))"
        case .reordered: "Taşındı"
        case .carried: "Başka güne aktarıldı"
        case .movedToList: "Başka listeye taşındı"
        case .deleted: "Silindi"
        }
    }

    /// The heading of a region.
    public func heading(of region: TaskRegion) -> String {
        switch region {
        case .morning: "Sabah"
        case .afternoon: "Öğleden Sonra"
        case .evening: "Akşam"
        case .backlog, .unknown: "Bekleyenler"
        }
    }

    /// The heading of a bucket, with its cap.
    public func heading(of bucket: TaskBucket) -> String {
        let name =
            switch bucket {
            case .must: "Zorunlu"
            case .complementary: "Tamamlayıcı"
            case .misc: "Çeşitli"
            case .none, .unknown: "Atanmamış"
            }
        return bucket.cap.map { "\(name) (\($0))" } ?? name
    }

    /// The name of a state.
    public func name(of state: TaskState) -> String {
        switch state {
        case .notStarted: "Yapılacak"
        case .active: "Yapılıyor"
        case .completed: "Bitti"
        case .unknown: "Bilinmiyor"
        }
    }

    // MARK: Journals

    /// The text for a journal without threads.
    public var emptyJournal: String { "Henüz başlık yok. Bir konuda yazmak için yeni bir başlık aç." }

    /// The text for a thread without entries.
    public var emptyThread: String { "Henüz yazı yok. İlkini yaz." }

    /// How many entries there are. After a number the noun stays singular.
    public func count(ofEntries count: Int) -> String { "\(count) yazı" }

    /// The question that a person is asked before a thread is deleted.
    public func deletionQuestion(of thread: ThreadSummary) -> String {
        let question = "'\(thread.thread.title)' silinsin mi?"
        switch thread.entries {
        case 0: return "\(question) İçinde yazı yok."
        case 1: return "\(question) İçindeki 1 yazı da silinecek."
        default: return "\(question) İçindeki \(thread.entries) yazının hepsi de silinecek."
        }
    }

    /// What an undo notice says was done.
    public func undoNotice(for notice: ThreadUndoNotice) -> String { "Başlık silindi" }

    /// A time, with a note if the entry was edited.
    public func displayTime(_ time: String, isEdited: Bool) -> String { isEdited ? "\(time) (düzenlendi)" : time }

    /// A place, with what is not known.
    public func name(ofCity city: String?, state: String?) -> String {
        "\(city ?? "Bilinmeyen Şehir"), \(state ?? "Bilinmeyen Bölge")"
    }

    /// Why an entry has no place.
    public func text(for error: PlaceError) -> String {
        switch error {
        case .denied: "Konum izni verilmedi"
        case .unavailable: "Konum hizmeti kullanılamıyor"
        case .undetermined: "Konum belirlenemedi"
        case .timedOut: "Konum isteği zaman aşımına uğradı"
        }
    }

    /// What a person sees after turning places on.
    public func text(for status: LocationStatus) -> String {
        switch status {
        case .denied: text(for: PlaceError.denied)
        case .found(let place): name(of: place)
        case .unavailable: "Konum yok"
        }
    }

    // MARK: Failures

    /// One or two sentences: what could not be done, and why.
    public func text(for failure: StoreFailure) -> String {
        let what =
            switch failure.attempt {
            case .load: "Yüklenemedi."
            case .save: "Kaydedilemedi."
            case .delete: "Silinemedi."
            case .undo: "Geri alınamadı."
            case .export: "Dışa aktarılamadı."
            case .importing: "İçe aktarılamadı."
            case .sync: "Eşitlenemedi."
            }
        return "\(what) \(Self.turkish(failure.reason))"
    }

    private static func turkish(_ reason: FailureReason) -> String {
        switch reason {
        case .full: "Cihaz dolu: biraz yer aç ve yeniden dene."
        case .busy: "Veriler başka bir yerde kullanılıyor. Lütfen yeniden dene."
        case .damaged: "Verilerin bir kısmı bozuk. Bir yedeği geri yükle."
        case .newer: "Bunu uygulamanın daha yeni bir sürümü yazdı. Uygulamayı güncelle."
        case .notPermitted: "Uygulamanın bu klasöre ya da dosyaya izni yok. İzin ver ve yeniden dene."
        case .readOnly: "Veriler burada yalnızca okunabilir. Yazılabilen bir yer seç."
        case .missing: "Veriler artık orada değil. Uygulamayı kapatıp yeniden aç."
        case .gone: "Bu arada silinmiş."
        case .locked: "Günlük kilitli. Önce kilidi aç."
        case .empty: "Metin yok. Önce bir şey yaz."
        case .unusable: "Bu metin kullanılamaz. Değiştir ve yeniden dene."
        case .duplicate: "Bu adda biri zaten var. Başka bir ad seç."
        case .pastDay: "Bu gün geçmişte. Bugünü ya da sonraki bir günü seç."
        case .bucketFull: "Orada yer kalmadı. Önce bir şeyi bitir ya da başka bir yer seç."
        case .circular: "Kendisinin parçası olur ya da kendisini bekler. Başka birini seç."
        case .unfitting: "Bu buraya uymuyor. Başka bir şey seç."
        case .ambiguous: "Birden fazlası uyuyor. Birini seç."
        case .undoOver: "Geri alma süresi doldu."
        case .changedSince: "O zamandan beri yeniden değişti. Elle değiştir."
        case .unreadableFile: "Dosya okunamıyor. Başka bir dosya seç."
        case .passphrase: "Parola eksik ya da yanlış. Yeniden gir."
        case .cancelled: "İptal edildi."
        case .stopped: "Verilerin yeniden açılması gerekiyor. Uygulamayı kapatıp yeniden aç."
        case .unexpected: "Bir şeyler ters gitti. Lütfen yeniden dene."
        }
    }

    /// The name of what a person can do.
    public func name(of remedy: Remedy) -> String? {
        switch remedy {
        case .retry: "Yeniden Dene"
        case .change: "Değiştir"
        case .freeSpace: "Yer Aç"
        case .restore: "Yedeği Geri Yükle"
        case .update: "Güncelle"
        case .allowAccess: "İzin Ver"
        case .unlock: "Kilidi Aç"
        case .restart: "Yeniden Başlat"
        case .none: nil
        }
    }
}
